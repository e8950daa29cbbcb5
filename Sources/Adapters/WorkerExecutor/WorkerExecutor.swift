// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import Logging
import Synchronization
public import TransferEngine
public import TransferFiles
public import TransferModel

/// Runs a `URLSessionExecutor` in worker processes and looks after them.
///
/// What ends a worker (a server can, on Linux) never ends this process: the attempts it ran fail as `executorLost` with
/// the bytes that are on disk, and the next one gets a new worker. A transfer under which a worker ended twice is tried
/// alone, so that it takes no others with it. A worker that is stuck is ended, one without work is let go, and all end
/// with this process, however that ends.
///
/// Each worker costs a process of some 30 MB of memory while there is work and nothing otherwise.
public final class WorkerExecutor: TransferExecutor {
    let configuration: WorkerExecutorConfiguration
    let executable: WorkerExecutable
    let state: Mutex<WorkerExecutorState>
    /// Runs while there are workers. Locked after `state` where both are.
    let timer = Mutex<(any DispatchSourceTimer)?>(nil)
    /// Reports that no worker makes, and looking after the workers.
    let queue = DispatchQueue(label: "transfer.workers")

    /// Makes an executor; the first attempt, or ``warmUp()``, starts its first worker.
    ///
    /// - Throws: `URLSessionExecutorError` where the executor's configuration is wrong.
    public init(configuration: WorkerExecutorConfiguration) throws(URLSessionExecutorError) {
        try configuration.executor.check()
        self.configuration = configuration
        executable = WorkerExecutable(configuration.program)
        state = Mutex(WorkerExecutorState(limits: configuration.executor.limits))
    }

    /// Starts a worker ahead of the first attempt, which then need not wait for it.
    public func warmUp() {
        state.withLock { state in
            guard state.workers.isEmpty, !state.isShutDown else { return }
            _ = try? startWorker(isolated: false, in: &state)
        }
    }

    /// Begins an attempt.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        let refusal = state.withLock { state -> ExecutorOutcome? in
            if state.isShutDown { return .stopped(job.resume) }
            if state.attempts[job.id] != nil {
                let message = "Transfer \(job.id) was started while an earlier attempt of it was still running."
                return .failed(TransferFailure(cause: .executorLost, message: message), resume: job.resume)
            }
            do {
                let number = try worker(for: job, in: &state)
                let files = BrokeredFiles(job: job, configuration: configuration.executor)
                state.attempts[job.id] = WorkerAttempt(
                    worker: number, files: files, resume: job.resume, report: report)
                state.workers[number]?.attempts += 1
                state.workers[number]?.process.files.run { [self] in handOver(job, files, to: number) }
                return nil
            } catch {
                let failure = TransferFailure(cause: .executorLost, message: "\(error)")
                return .failed(failure, resume: job.resume)
            }
        }
        if let refusal { queue.async { report(.ended(refusal)) } }
    }

    /// Ends the attempt that runs, keeping its bytes.
    public func stop(_ id: TransferID) {
        state.withLock { state in
            guard let attempt = state.attempts[id] else { return }
            state.attempts[id]?.isStopping = true
            // Else it follows the order to start.
            if attempt.isHandedOver { state.workers[attempt.worker]?.process.post(.stop(id)) }
        }
    }

    /// Changes the limits, for what runs too: within some tenths of a second.
    public func setLimits(_ limits: RateLimits) {
        state.withLock { state in
            state.limits = limits
            shareLimits(in: &state)
        }
    }

    /// Removes a partial file; has an upload deleted at the server where that is offered.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        ExecutorFiles.discard(job)
        guard resume.upload != nil else { return }
        state.withLock { state in
            // Best effort: without a worker the server clears up by itself.
            guard !state.isShutDown, let number = try? worker(for: job, in: &state) else { return }
            state.workers[number]?.process.post(.discard(job))
        }
    }

    /// What the worker that was started last has given up; nil before one has said so.
    public var confinement: WorkerConfinement? { state.withLock { $0.confinement } }

    /// How much may still be written where the partial and the finished file go.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        ExecutorFiles.availableSpace(for: specification, configuration: configuration.executor)
    }

    /// Stops every attempt, and lets the workers go. Takes at most some seconds, whatever the workers do.
    public func shutdown() async {
        let (workers, running) = state.withLock { state in
            state.isShutDown = true
            return (state.workers, state.attempts.keys.sorted())
        }
        for id in running { stop(id) }
        for (_, worker) in workers { worker.process.post(.shutDown) }
        queue.asyncAfter(deadline: .now() + Self.longestShutdown) { [self] in
            for (number, worker) in state.withLock({ $0.workers }) {
                log(.warning, "did not end when it was told to, and is ended", number)
                worker.process.kill()
            }
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isEmpty { state.waiting.append(continuation) }
                return state.isEmpty
            }
            if isOver { queue.async { continuation.resume() } }
        }
        stopLooking()
    }

    /// Seconds that workers are given to stop all attempts and exit.
    private static let longestShutdown = 3.0

    /// Ends all workers at once; what they have not reported as durable is fetched again.
    public func killWorkers() {
        for worker in state.withLock({ $0.workers.values.map(\.process) }) { worker.kill() }
    }

    /// The process numbers of the workers, for tests and for people.
    public var processNumbers: [Int32] {
        state.withLock { state in state.workers.sorted { $0.key < $1.key }.map(\.value.process.number) }
    }
}

/// What a `WorkerExecutor` knows of its workers and attempts.
struct WorkerExecutorState: Sendable {
    /// For all workers together.
    var limits: RateLimits
    var attempts: [TransferID: WorkerAttempt] = [:]
    var workers: [Int: WorkerState] = [:]
    var lastWorker = 0
    /// How many workers ended under a transfer without its having gone on since.
    var losses: [TransferID: Int] = [:]
    var isShutDown = false
    var confinement: WorkerConfinement?
    var waiting: [CheckedContinuation<Void, Never>] = []

    var isEmpty: Bool { attempts.isEmpty && workers.isEmpty }
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
    var process: WorkerProcess
    /// Whether it is for one transfer only, which may end it.
    var isIsolated: Bool
    /// The transfers that it serves; nil for all that have no group.
    var group: String?
    /// The system's files as the worker may read them.
    var stamp: SystemFilesStamp
    var attempts = 0
    /// Whether it gets no more attempts and goes when it has none.
    var isOutdated = false
    /// Whether it was told to exit: it gets no more attempts.
    var isRetiring = false
    /// Whether it has answered its first order.
    var isReady = false
    /// Why it cannot work, in its own words or ours.
    var refusal: String?
    /// When it said something last, or was given something to do after nothing.
    var heard: UInt64
    var isProbed = false

    /// Whether it takes further attempts.
    var isShared: Bool { !isIsolated && !isRetiring && !isOutdated }

    /// It said something.
    mutating func spoke() {
        heard = DispatchTime.now().uptimeNanoseconds
        isProbed = false
    }
}
