// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TransferEngine
import TransferFiles
internal import TransferModel

/// The workers and attempts of a `WorkerExecutor`. Assigns attempts to workers and decides which workers are shut
/// down.
struct WorkerPool: Sendable {
    private let configuration: WorkerExecutorConfiguration
    /// The rate limits of all workers combined.
    var limits: RateLimits {
        didSet { shareLimits() }
    }
    var attempts: [TransferID: WorkerAttempt] = [:]
    private(set) var workers: [Int: WorkerState] = [:]
    private var lastNumber = 0
    /// The number of workers that ended during a transfer since the transfer last made progress.
    private var losses: [TransferID: Int] = [:]
    var isShutDown = false
    var confinement: WorkerConfinement?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ configuration: WorkerExecutorConfiguration) {
        self.configuration = configuration
        limits = configuration.executor.limits
    }

    // MARK: Assignment of attempts

    /// Returns whether so many workers ended during a transfer that the transfer must run in a separate worker.
    func isSuspect(_ id: TransferID) -> Bool { losses[id, default: 0] >= 2 }

    /// Returns the number of a shared worker with room for an attempt of the group. Returns `nil` if another worker
    /// must be started.
    mutating func sharedWorker(of group: String?) -> Int? {
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        for number in workers.keys.sorted() where workers[number]?.stamp != stamp { retire(number) }
        let shared = workers.filter { $0.value.group == group && $0.value.isShared }
        let least = shared.min { ($0.value.attempts, $0.key) < ($1.value.attempts, $1.key) }
        // A worker counts the bytes of other workers as traffic of other programs, so only one worker may run while
        // transfers yield.
        let most = limits.yieldsToForeground ? 1 : max(1, configuration.workers)
        guard let least, least.value.attempts < configuration.attemptsPerWorker || shared.count >= most else {
            return nil
        }
        if least.value.attempts == 0 { heard(least.key) }
        return least.key
    }

    /// Assigns the number for a worker that is about to start.
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

    /// Advances the start of an attempt and returns the attempt. Returns `nil` if it has ended, with its worker.
    mutating func advance(_ id: TransferID, _ files: BrokeredFiles, to phase: WorkerAttempt.Phase) -> WorkerAttempt? {
        guard attempts[id]?.files === files else { return nil }
        attempts[id]?.phase = phase
        return attempts[id]
    }

    /// Gives each worker its share of the limits.
    ///
    /// The shares depend on the number of workers, not on their work. A worker with less work leaves a part of its
    /// share unused.
    private func shareLimits() {
        let part = limits.divided(by: workers.count)
        for number in workers.keys.sorted() { workers[number]?.process.post(.limits(part)) }
    }

    // MARK: Messages of workers

    /// Records that a worker sent a message, or received an attempt after an idle period.
    mutating func heard(_ number: Int) {
        workers[number]?.heard = DispatchTime.now().uptimeNanoseconds
        workers[number]?.isProbed = false
    }

    /// Records a worker's reply to its first order. Returns `false` if the worker has already replied.
    mutating func isFirstReply(of number: Int) -> Bool {
        heard(number)
        guard workers[number]?.isReady == false else { return false }
        workers[number]?.isReady = true
        return true
    }

    /// Kills a worker that cannot work. Its attempts end when the process ends.
    mutating func refuse(_ number: Int, _ why: String) {
        guard workers[number]?.refusal == nil else { return }
        workers[number]?.refusal = why
        workers[number]?.isRetiring = true
        workers[number]?.process.kill()
    }

    /// Records the report of an attempt. The last report removes the attempt.
    mutating func accept(_ report: ExecutorReport, of id: TransferID) {
        switch report {
        case .checkpointed(let resume):
            // The transfer makes progress, so it did not cause the end of the earlier workers.
            if let before = attempts[id]?.resume, resume.bytes > before.bytes { losses[id] = nil }
            attempts[id]?.resume = resume
        case .restarted:
            attempts[id]?.resume = nil
        case .progressed, .responded:
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

    // MARK: Shutdown of workers

    /// Shuts down idle workers of groups, beginning with the worker that has been idle longest. Keeps up to two of
    /// them.
    private mutating func retireIdleGroups() {
        let idle = workers.filter { $0.value.group != nil && $0.value.attempts == 0 && !$0.value.isRetiring }
        let longest = idle.sorted { ($0.value.heard, $0.key) < ($1.value.heard, $1.key) }
        for (number, _) in longest.dropLast(2) { retire(number) }
    }

    /// Gives a worker no further attempts, and shuts the worker down once it has none.
    private mutating func retire(_ number: Int) {
        guard let worker = workers[number], !worker.isRetiring else { return }
        workers[number]?.isOutdated = true
        if worker.attempts == 0 { requestShutdown(number) }
    }

    private mutating func requestShutdown(_ number: Int) {
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

    /// Shuts down idle workers, probes silent workers, and kills workers that have not responded to a probe.
    ///
    /// - Returns: The numbers of the killed workers and the seconds of their silence.
    mutating func superviseWorkers(now: UInt64) -> [(number: Int, silence: UInt64)] {
        let patience = UInt64(max(1, configuration.silenceLimitSeconds))
        var ended: [(number: Int, silence: UInt64)] = []
        for (number, worker) in workers.sorted(by: { $0.key < $1.key }) {
            let silence = (now - min(worker.heard, now)) / 1_000_000_000
            if worker.attempts == 0 {
                if silence >= UInt64(max(0, configuration.idleSeconds)), !worker.isRetiring { requestShutdown(number) }
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

    /// Stores the continuation of a `shutdown()` call. Returns `false` if everything has already ended.
    mutating func addContinuation(_ continuation: CheckedContinuation<Void, Never>) -> Bool {
        if !isEmpty { waiting.append(continuation) }
        return !isEmpty
    }

    /// Removes and returns the continuations of the `shutdown()` calls once everything has ended.
    mutating func removeContinuations() -> [CheckedContinuation<Void, Never>] {
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
    /// The progress of the start. Only an attempt that has started may be ordered to stop.
    enum Phase {
        /// The files are being prepared.
        case preparing
        /// The start order is being sent, so the worker may already request files.
        case starting
        case started
    }
    fileprivate(set) var phase = Phase.preparing
    /// The last reported durable state.
    var resume: ResumePoint?
    var isStopping = false
    var report: @Sendable (ExecutorReport) -> Void
}

/// A worker process and its workload.
struct WorkerState: Sendable {
    let process: WorkerProcess
    /// A Boolean value that indicates whether the worker serves only a single transfer, which may end the worker.
    let isIsolated: Bool
    /// The isolation group that the worker serves. `nil` is the common group.
    let group: String?
    /// The identity of the system files that the worker may read.
    let stamp: SystemFilesStamp
    /// The number of the worker's attempts.
    fileprivate(set) var attempts = 0
    /// A Boolean value that indicates whether the worker receives no further attempts and is shut down once it has
    /// none.
    fileprivate(set) var isOutdated = false
    /// A Boolean value that indicates whether the shutdown order was sent to the worker. Such a worker receives no
    /// further attempts.
    fileprivate(set) var isRetiring = false
    /// A Boolean value that indicates whether the worker has replied to its first order.
    fileprivate(set) var isReady = false
    /// The reason why the worker cannot work, stated by the worker or by this process.
    fileprivate(set) var refusal: String?
    /// The time of the worker's last message, or of its first attempt after an idle period.
    fileprivate(set) var heard = DispatchTime.now().uptimeNanoseconds
    /// A Boolean value that indicates whether the worker has not responded to a probe yet.
    fileprivate(set) var isProbed = false

    init(process: WorkerProcess, isIsolated: Bool, group: String?, stamp: SystemFilesStamp) {
        self.process = process
        self.isIsolated = isIsolated
        self.group = group
        self.stamp = stamp
    }

    /// A Boolean value that indicates whether the worker accepts further attempts.
    fileprivate var isShared: Bool { !isIsolated && !isRetiring && !isOutdated }
}
