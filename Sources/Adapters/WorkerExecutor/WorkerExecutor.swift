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

/// Runs a `HTTPExecutor` in worker processes and supervises them.
///
/// A crash of a worker never ends this process. On Linux, a server can cause such a crash. The attempts of the worker
/// fail as `executorLost` and keep the bytes on disk. The next attempt gets a new worker. If two workers have ended
/// during a transfer, the transfer runs in a separate worker and does not affect other transfers.
///
/// A stuck worker is killed, and an idle worker is shut down. All workers exit together with this process, even if
/// this process crashes.
///
/// Each worker is a process that uses about 30 MB of memory while transfers are running. An idle executor has no
/// workers.
///
/// ```swift
/// let program = try WorkerProgram.find() ?? .thisProgram
/// let executor = try WorkerExecutor(
///     configuration: WorkerExecutorConfiguration(executor: configuration, program: program))
/// ```
public final class WorkerExecutor: TransferExecutor {
    let configuration: WorkerExecutorConfiguration
    let executable: WorkerExecutable
    let pool: Mutex<WorkerPool>
    /// The processes that have started and not ended. Unlike `pool`, never locked during a system call that may hang,
    /// such as the start of a process. If both are locked, `pool` is locked first.
    let processes = Mutex<[Int: WorkerProcess]>([:])
    let log: WorkerLog
    /// Runs while there are workers. If both are locked, `pool` is locked first.
    let ticker: Ticker
    /// The queue for reports that come from no worker, and for the supervision of workers.
    private let queue = DispatchQueue(label: "transfer.workers")

    /// Creates an executor. The first attempt, or ``warmUp()``, starts the first worker.
    ///
    /// - Throws: `HTTPExecutorError` if the executor's configuration is invalid.
    public init(configuration: WorkerExecutorConfiguration) throws(HTTPExecutorError) {
        try configuration.executor.check()
        self.configuration = configuration
        executable = WorkerExecutable(configuration.program)
        pool = Mutex(WorkerPool(configuration))
        log = WorkerLog(logger: configuration.logger)
        let step = max(1, min(configuration.idleSeconds, configuration.silenceLimitSeconds) / 4)
        ticker = Ticker(queue: queue, interval: .seconds(step), leeway: .seconds(max(1, step / 4)))
    }

    /// Starts a worker before the first attempt, so that the first attempt does not wait for the start.
    ///
    /// Does nothing if there is a worker, or after ``shutdown()``.
    public func warmUp() {
        pool.withLock { pool in
            guard pool.workers.isEmpty, !pool.isShutDown else { return }
            _ = try? startWorker(isolated: false, in: &pool)
        }
    }

    /// Starts an attempt.
    public func start(_ job: TransferJob, reporting report: @escaping @Sendable (ExecutorReport) -> Void) {
        let files = BrokeredFiles(job: job, configuration: configuration.executor)
        enum Admission { case admitted(WorkerProcess), refused(ExecutorOutcome) }
        let admission = pool.withLock { pool -> Admission in
            if pool.isShutDown { return .refused(.stopped(job.resume)) }
            if pool.attempts[job.id] != nil {
                return .refused(.failed(.alreadyRunning(job.id), resume: job.resume))
            }
            do {
                let (number, process) = try worker(for: job, in: &pool)
                pool.add(
                    WorkerAttempt(worker: number, files: files, resume: job.resume, report: report), of: job.id)
                return .admitted(process)
            } catch {
                let failure = TransferFailure(cause: .executorLost, message: "\(error)")
                return .refused(.failed(failure, resume: job.resume))
            }
        }
        switch admission {
        case .admitted(let process): process.files.run { [self] in submit(job, files, to: process) }
        case .refused(let outcome): queue.async { report(.ended(outcome)) }
        }
    }

    /// Stops the running attempt and keeps the bytes received so far.
    ///
    /// Does nothing if no attempt of the transfer is running.
    public func stop(_ id: TransferID) {
        pool.withLock { pool in
            guard let attempt = pool.attempts[id] else { return }
            pool.attempts[id]?.isStopping = true
            // Otherwise the stop follows the start order.
            if attempt.phase == .started { pool.workers[attempt.worker]?.process.post(.stop(id)) }
        }
    }

    /// Replaces the rate limits.
    ///
    /// Running transfers follow the new limits within a few tenths of a second.
    public func setLimits(_ limits: RateLimits) {
        pool.withLock { $0.limits = limits }
    }

    /// Removes the transfer's partial file and, if the server supports deletion, deletes its upload at the server.
    public func discard(_ job: TransferJob) {
        guard let resume = job.resume else { return }
        ExecutorFiles.discard(job)
        guard resume.upload != nil else { return }
        pool.withLock { pool in
            // This is best effort. Without a worker, the server eventually deletes the upload itself.
            guard !pool.isShutDown, let worker = try? worker(for: job, in: &pool) else { return }
            worker.process.post(.discard(job))
        }
    }

    /// The permissions that the most recently started worker has given up. `nil` until a worker has reported them.
    public var confinement: WorkerConfinement? { pool.withLock { $0.confinement } }

    /// Returns the number of bytes that can still be written to the volumes of the partial file and the finished
    /// file.
    public func availableSpace(for specification: TransferSpecification) -> Int64? {
        ExecutorFiles.availableSpace(for: specification, configuration: configuration.executor)
    }

    /// Stops all attempts and shuts the workers down. Takes at most a few seconds, whatever the workers do.
    public func shutdown() async {
        let (workers, running) = pool.withLock { pool in
            pool.isShutDown = true
            return (pool.workers, pool.attempts.keys.sorted())
        }
        for id in running { stop(id) }
        for (_, worker) in workers { worker.process.post(.shutDown) }
        queue.asyncAfter(deadline: .now() + Self.longestShutdown) { [self] in
            for (number, worker) in pool.withLock({ $0.workers }) {
                log.write(.warning, "did not exit in time and was killed", number)
                worker.process.kill()
            }
        }
        await withCheckedContinuation { continuation in
            let waits = pool.withLock { $0.addContinuation(continuation) }
            if !waits { queue.async { continuation.resume() } }
        }
        ticker.rest()
    }

    /// The time in seconds that workers have to stop all attempts and exit.
    private static let longestShutdown = 3.0

    /// Kills all workers immediately, even if the start of another worker hangs. Bytes that they have not reported as
    /// durable are downloaded again.
    public func killWorkers() {
        for process in processes.withLock({ Array($0.values) }) { process.kill() }
    }

    /// The process IDs of the workers, for tests and diagnosis.
    public var processIDs: [Int32] {
        processes.withLock { processes in processes.sorted { $0.key < $1.key }.map(\.value.number) }
    }
}
