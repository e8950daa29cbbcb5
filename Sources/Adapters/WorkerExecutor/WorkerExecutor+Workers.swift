// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import LinuxKernel
import Logging
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// The start of workers, their messages, and the handling of their ends.
extension WorkerExecutor {
    /// Returns a worker for the transfer and its number. Starts a worker if none has room.
    func worker(
        for job: TransferJob, in pool: inout WorkerPool
    ) throws(WorkerError) -> (number: Int, process: WorkerProcess) {
        let group = configuration.isolationGroup(job)
        if pool.isSuspect(job.id) { return try startWorker(isolated: true, group: group, in: &pool) }
        if let number = pool.sharedWorker(of: group), let worker = pool.workers[number] {
            return (number, worker.process)
        }
        return try startWorker(isolated: false, group: group, in: &pool)
    }

    @discardableResult
    func startWorker(
        isolated: Bool, group: String? = nil, in pool: inout WorkerPool
    ) throws(WorkerError) -> (number: Int, process: WorkerProcess) {
        let number = pool.nextNumber()
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        let process = try WorkerProcess(
            executable, receive: { [self] in accept($0, from: number) },
            ended: { [self] in workerEnded(number, $0) })
        processes.withLock { $0[number] = process }
        process.post(.configure(version: WireFormat.version, configuration.executor))
        pool.add(WorkerState(process: process, isIsolated: isolated, group: group, stamp: stamp), as: number)
        ticker.use { [weak self] in self?.superviseWorkers() }
        log.started(number, process: process.number, isIsolated: isolated)
        return (number, process)
    }

    // MARK: Messages, on the worker's thread

    private func accept(_ message: WorkerMessage, from number: Int) {
        switch message {
        case .ready(let version, let confinement):
            guard pool.withLock({ $0.isFirstReply(of: number) }) else { return }
            guard version == WireFormat.version else {
                return refuse(
                    number, "The worker program has a different version. Install both programs from the same release.")
            }
            pool.withLock { $0.confinement = confinement }
            log.confined(number, confinement)
        case .unusable(let message):
            if pool.withLock({ $0.isFirstReply(of: number) }) { refuse(number, message.bounded) }
        case .probed:
            pool.withLock { $0.heard(number) }
        case .report(let id, let report):
            accept(report, of: id, from: number)
        case .file(let id, let request):
            accept(request, of: id, from: number)
        }
    }

    /// Kills a worker that cannot work. Its attempts end when the process ends.
    func refuse(_ number: Int, _ why: String) { pool.withLock { $0.refuse(number, why) } }

    private func accept(_ report: ExecutorReport, of id: TransferID, from number: Int) {
        guard let files = files(of: id, of: number, reporting: report) else { return }
        if case .ended = report { files.close() }
        let report = files.checked(report)
        let (attempt, waiting) = pool.withLock { pool in
            guard let attempt = pool.attempts[id], attempt.files === files else {
                return (nil as WorkerAttempt?, [] as [CheckedContinuation<Void, Never>])
            }
            pool.accept(report, of: id)
            return (attempt, pool.removeContinuations())
        }
        attempt?.report(report)
        for continuation in waiting { continuation.resume() }
    }

    // MARK: The end, on the worker's thread

    private func workerEnded(_ number: Int, _ end: WorkerProcess.End) {
        let (worker, lost, isShutDown) = pool.withLock { pool in
            let (worker, lost) = pool.removeWorker(number)
            return (worker, lost, pool.isShutDown)
        }
        processes.withLock { $0[number] = nil }
        // A worker that was told to exit takes its attempts with it.
        log.ended(number, end, worker, lost: isShutDown ? [] : lost.map(\.id))
        // File operations must end first, so that no operation is running when the next attempt begins.
        for (_, attempt) in lost { attempt.files.close() }
        let what = worker?.refusal ?? "The worker process \(end.summary) during the transfer."
        for (_, attempt) in lost {
            if attempt.isStopping || isShutDown {
                attempt.report(.ended(.stopped(attempt.resume)))
            } else {
                let failure = TransferFailure(cause: .executorLost, message: what)
                attempt.report(.ended(.failed(failure, resume: attempt.resume)))
            }
        }
        // The reports come first, because `shutdown()` also waits for them.
        for continuation in pool.withLock({ $0.removeContinuations() }) { continuation.resume() }
    }

    // MARK: Supervision

    private func superviseWorkers() {
        let now = DispatchTime.now().uptimeNanoseconds
        let ended = pool.withLock { pool in
            if pool.workers.isEmpty { ticker.rest() }
            return pool.superviseWorkers(now: now)
        }
        for (number, silence) in ended {
            log.write(.error, "did not respond for \(silence) s and was killed", number)
        }
    }
}
