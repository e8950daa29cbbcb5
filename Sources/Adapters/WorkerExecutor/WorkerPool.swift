// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TransferEngine
import TransferFiles
internal import TransferModel

/// The workers and attempts of a `WorkerExecutor`: which worker gets an attempt, and which workers are let go.
struct WorkerPool: Sendable {
    private let configuration: WorkerExecutorConfiguration
    /// The limits for all workers together.
    var limits: RateLimits {
        didSet { shareLimits() }
    }
    var attempts: [TransferID: WorkerAttempt] = [:]
    private(set) var workers: [Int: WorkerState] = [:]
    private var lastNumber = 0
    /// The number of workers that ended under a transfer, without its having gone on since.
    private var losses: [TransferID: Int] = [:]
    var isShutDown = false
    var confinement: WorkerConfinement?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ configuration: WorkerExecutorConfiguration) {
        self.configuration = configuration
        limits = configuration.executor.limits
    }

    // MARK: Which worker gets an attempt

    /// Whether so many workers ended under a transfer that it gets one of its own.
    func isSuspect(_ id: TransferID) -> Bool { losses[id, default: 0] >= 2 }

    /// The number of a shared worker with room for an attempt of a group; nil if another worker has to be started.
    mutating func sharedWorker(of group: String?) -> Int? {
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        for number in workers.keys.sorted() where workers[number]?.stamp != stamp { retire(number) }
        let shared = workers.filter { $0.value.group == group && $0.value.isShared }
        let least = shared.min { ($0.value.attempts, $0.key) < ($1.value.attempts, $1.key) }
        // Workers count one another's bytes as those of other programs, so only one may yield to these.
        let most = limits.yieldsToForeground ? 1 : max(1, configuration.workers)
        guard let least, least.value.attempts < configuration.attemptsPerWorker || shared.count >= most else {
            return nil
        }
        if least.value.attempts == 0 { heard(least.key) }
        return least.key
    }

    /// The number for a worker that is started now.
    mutating func nextNumber() -> Int {
        retireIdleGroups()
        lastNumber += 1
        return lastNumber
    }

    mutating func add(_ worker: WorkerState, as number: Int) {
        workers[number] = worker
        shareLimits()
    }

    mutating func add(_ attempt: WorkerAttempt, of id: TransferID) {
        attempts[id] = attempt
        workers[attempt.worker]?.attempts += 1
    }

    /// Gives each worker its part of the limits.
    ///
    /// By their number, not by their work: a worker with less to do leaves some unused.
    private func shareLimits() {
        let part = limits.divided(by: workers.count)
        for number in workers.keys.sorted() { workers[number]?.process.post(.limits(part)) }
    }

    // MARK: What workers say

    /// Records that a worker said something, or has something to do after nothing.
    mutating func heard(_ number: Int) {
        workers[number]?.heard = DispatchTime.now().uptimeNanoseconds
        workers[number]?.isProbed = false
    }

    /// Records a worker's answer to its first order; false if it has given one before.
    mutating func isFirstAnswer(of number: Int) -> Bool {
        heard(number)
        guard workers[number]?.isReady == false else { return false }
        workers[number]?.isReady = true
        return true
    }

    /// Ends a worker that cannot work: its attempts end when it does.
    mutating func refuse(_ number: Int, _ why: String) {
        guard workers[number]?.refusal == nil else { return }
        workers[number]?.refusal = why
        workers[number]?.isRetiring = true
        workers[number]?.process.kill()
    }

    /// Takes the report of an attempt, which is over with the last one.
    mutating func take(_ report: ExecutorReport, of id: TransferID) {
        switch report {
        case .checkpointed(let resume):
            // It goes on, so it is not what ended the workers before.
            if let before = attempts[id]?.resume, resume.bytes > before.bytes { losses[id] = nil }
            attempts[id]?.resume = resume
        case .restarted:
            attempts[id]?.resume = nil
        case .progressed, .answered:
            break
        case .ended:
            losses[id] = nil
            guard let attempt = attempts.removeValue(forKey: id) else { return }
            workers[attempt.worker]?.attempts -= 1
            retireIdleGroups()
            guard let worker = workers[attempt.worker], worker.isIsolated || worker.isOutdated else { return }
            retire(attempt.worker)
        }
    }

    // MARK: How workers go

    /// Lets workers of groups go that have nothing to do, the one that has idled longest first; two of them may stay.
    private mutating func retireIdleGroups() {
        let idle = workers.filter { $0.value.group != nil && $0.value.attempts == 0 && !$0.value.isRetiring }
        let longest = idle.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }
        for (number, _) in longest.dropLast(2) { retire(number) }
    }

    /// Gives a worker no further attempts, and lets it go once it has none.
    private mutating func retire(_ number: Int) {
        guard let worker = workers[number], !worker.isRetiring else { return }
        workers[number]?.isOutdated = true
        if worker.attempts == 0 { letGo(number) }
    }

    private mutating func letGo(_ number: Int) {
        workers[number]?.isRetiring = true
        workers[number]?.process.post(.shutDown)
    }

    /// Removes a worker that has ended, and its attempts.
    mutating func removeWorker(_ number: Int) -> (
        worker: WorkerState?, lost: [(id: TransferID, attempt: WorkerAttempt)]
    ) {
        let lost = attempts.filter { $0.value.worker == number }.sorted { $0.key < $1.key }
        for (id, attempt) in lost {
            attempts[id] = nil
            if !attempt.isStopping { losses[id, default: 0] += 1 }
        }
        defer { shareLimits() }
        return (workers.removeValue(forKey: number), lost.map { ($0.key, $0.value) })
    }

    /// Lets idle workers go, asks silent ones whether they live, and ends those that have not answered.
    ///
    /// - Returns: the numbers of the workers that were ended, with the seconds of their silence.
    mutating func lookAfterWorkers(now: UInt64) -> [(number: Int, silence: UInt64)] {
        let patience = UInt64(max(1, configuration.patienceSeconds))
        var ended: [(number: Int, silence: UInt64)] = []
        for (number, worker) in workers.sorted(by: { $0.key < $1.key }) {
            let silence = (now - min(worker.heard, now)) / 1_000_000_000
            if worker.attempts == 0 {
                if silence >= UInt64(max(0, configuration.idleSeconds)), !worker.isRetiring { letGo(number) }
            } else if worker.isProbed, silence >= 2 * patience {
                worker.process.kill()
                ended.append((number, silence))
            } else if !worker.isProbed, silence >= patience {
                workers[number]?.isProbed = true
                worker.process.post(.probe(number))
            }
        }
        return ended
    }

    // MARK: Waiting for the end

    private var isEmpty: Bool { attempts.isEmpty && workers.isEmpty }

    /// Keeps somebody who waits for the end; false if all has ended.
    mutating func keepWaiting(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if !isEmpty { waiting.append(continuation) }
        return !isEmpty
    }

    /// Removes and returns the continuations that wait for the end, if all has ended.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        guard isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}

/// An attempt that a worker runs.
struct WorkerAttempt: Sendable {
    var worker: Int
    var files: BrokeredFiles
    var budget = ReportBudget()
    /// Whether the worker was told to start it.
    var isHandedOver = false
    /// What was reported as durable last.
    var resume: ResumePoint?
    var isStopping = false
    var report: @Sendable (ExecutorReport) -> Void
}

/// A worker process and what it has to do.
struct WorkerState: Sendable {
    let process: WorkerProcess
    /// Whether it is for one transfer only, which may end it.
    let isIsolated: Bool
    /// The transfers that it serves; nil for all that have no group.
    let group: String?
    /// The system's files as the worker may read them.
    let stamp: SystemFilesStamp
    /// The number of attempts that it has.
    fileprivate(set) var attempts = 0
    /// Whether it gets no more attempts and goes when it has none.
    fileprivate(set) var isOutdated = false
    /// Whether it was told to exit: it gets no more attempts.
    fileprivate(set) var isRetiring = false
    /// Whether it has answered its first order.
    fileprivate(set) var isReady = false
    /// The reason why it cannot work, in its own words or ours.
    fileprivate(set) var refusal: String?
    /// The time at which it said something last, or was given something to do after nothing.
    fileprivate(set) var heard = DispatchTime.now().uptimeNanoseconds
    /// Whether it was asked if it lives, and has not answered.
    fileprivate(set) var isProbed = false

    init(process: WorkerProcess, isIsolated: Bool, group: String?, stamp: SystemFilesStamp) {
        self.process = process
        self.isIsolated = isIsolated
        self.group = group
        self.stamp = stamp
    }

    /// Whether it takes further attempts.
    fileprivate var isShared: Bool { !isIsolated && !isRetiring && !isOutdated }
}
