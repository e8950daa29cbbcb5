// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import LinuxKernel
import Logging
import Synchronization
public import TransferEngine
public import TransferFiles
public import TransferModel

/// Runs a `URLSessionExecutor` in worker processes and looks after them.
///
/// The end of a worker (a server can cause it, on Linux) never ends this process: its attempts fail as `executorLost` with
/// the bytes that are on disk, and the next one gets a new worker. A transfer under which a worker ended twice is tried
/// alone, so that it takes no others with it. A worker that is stuck is ended, one without work is let go, and all end
/// with this process, however that ends.
///
/// Each worker costs a process of some 30 MB of memory while there is work and nothing otherwise.
public final class WorkerExecutor: TransferExecutor {
    let configuration: WorkerExecutorConfiguration
    let executable: WorkerExecutable
    let pool: Mutex<WorkerPool>
    let log: WorkerLog
    /// Runs while there are workers. Locked after `pool` if both are.
    let ticker: Ticker
    /// The queue for reports that no worker makes, and for looking after the workers.
    private let queue = DispatchQueue(label: "transfer.workers")

    /// Makes an executor; the first attempt, or ``warmUp()``, starts its first worker.
    ///
    /// - Throws: `URLSessionExecutorError` where the executor's configuration is wrong.
    public init(configuration: WorkerExecutorConfiguration) throws(URLSessionExecutorError) {
        try configuration.executor.check()
        self.configuration = configuration
        executable = WorkerExecutable(configuration.program)
        pool = Mutex(WorkerPool(configuration))
        log = WorkerLog(logger: configuration.logger)
        let step = max(1, min(configuration.idleSeconds, configuration.patienceSeconds) / 4)
        ticker = Ticker(queue: queue, interval: .seconds(step), leeway: .seconds(max(1, step / 4)))
    }

    /// Starts a worker ahead of the first attempt, which then need not wait for it.
    public func warmUp() {
        pool.withLock { pool in
            guard pool.workers.isEmpty, !pool.isShutDown else { return }
            _ = try? startWorker(isolated: false, in: &pool)
        }
    }

    /// Begins an attempt.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        let refusal = pool.withLock { pool -> ExecutorOutcome? in
            if pool.isShutDown { return .stopped(job.resume) }
            if pool.attempts[job.id] != nil {
                return .failed(.alreadyRunning(job.id), resume: job.resume)
            }
            do {
                let number = try worker(for: job, in: &pool)
                let files = BrokeredFiles(job: job, configuration: configuration.executor)
                pool.add(
                    WorkerAttempt(worker: number, files: files, resume: job.resume, report: report), of: job.id)
                pool.workers[number]?.process.files.run { [self] in handOver(job, files, to: number) }
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
        pool.withLock { pool in
            guard let attempt = pool.attempts[id] else { return }
            pool.attempts[id]?.isStopping = true
            // Else it follows the order to start.
            if attempt.isHandedOver { pool.workers[attempt.worker]?.process.post(.stop(id)) }
        }
    }

    /// Changes the limits, for what runs too: within some tenths of a second.
    public func setLimits(_ limits: RateLimits) {
        pool.withLock { $0.limits = limits }
    }

    /// Removes a partial file; has an upload deleted at the server where that is offered.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        ExecutorFiles.discard(job)
        guard resume.upload != nil else { return }
        pool.withLock { pool in
            // Best effort: without a worker the server clears up by itself.
            guard !pool.isShutDown, let number = try? worker(for: job, in: &pool) else { return }
            pool.workers[number]?.process.post(.discard(job))
        }
    }

    /// The rights that the worker that was started last has given up; nil before a worker has told them.
    public var confinement: WorkerConfinement? { pool.withLock { $0.confinement } }

    /// How much may still be written where the partial and the finished file go.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        ExecutorFiles.availableSpace(for: specification, configuration: configuration.executor)
    }

    /// Stops every attempt, and lets the workers go. Takes at most some seconds, whatever the workers do.
    public func shutdown() async {
        let (workers, running) = pool.withLock { pool in
            pool.isShutDown = true
            return (pool.workers, pool.attempts.keys.sorted())
        }
        for id in running { stop(id) }
        for (_, worker) in workers { worker.process.post(.shutDown) }
        queue.asyncAfter(deadline: .now() + Self.longestShutdown) { [self] in
            for (number, worker) in pool.withLock({ $0.workers }) {
                log.write(.warning, "did not end when it was told to, and is ended", number)
                worker.process.kill()
            }
        }
        await withCheckedContinuation { continuation in
            let waits = pool.withLock { $0.keepWaiting(continuation) }
            if !waits { queue.async { continuation.resume() } }
        }
        ticker.rest()
    }

    /// Seconds that workers are given to stop all attempts and exit.
    private static let longestShutdown = 3.0

    /// Ends all workers at once; what they have not reported as durable is fetched again.
    public func killWorkers() {
        for worker in pool.withLock({ $0.workers.values.map(\.process) }) { worker.kill() }
    }

    /// The process numbers of the workers, for tests and for people.
    public var processNumbers: [Int32] {
        pool.withLock { pool in pool.workers.sorted { $0.key < $1.key }.map(\.value.process.number) }
    }
}
