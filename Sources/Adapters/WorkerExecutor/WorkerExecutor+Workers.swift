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
    /// Returns the number of a worker for the transfer. Starts a worker if none has room.
    func worker(for job: TransferJob, in pool: inout WorkerPool) throws(WorkerError) -> Int {
        let group = configuration.isolationGroup(job)
        if pool.isSuspect(job.id) { return try startWorker(isolated: true, group: group, in: &pool) }
        if let number = pool.sharedWorker(of: group) { return number }
        return try startWorker(isolated: false, group: group, in: &pool)
    }

    func startWorker(isolated: Bool, group: String? = nil, in pool: inout WorkerPool) throws(WorkerError) -> Int {
        let number = pool.nextNumber()
        let stamp = SystemFilesStamp(caFile: configuration.executor.caFile)
        let process = try WorkerProcess(
            executable, receive: { [self] in take($0, from: number) },
            ended: { [self] in workerEnded(number, $0) })
        process.post(.configure(version: WireForm.version, configuration.executor))
        pool.add(WorkerState(process: process, isIsolated: isolated, group: group, stamp: stamp), as: number)
        ticker.use { [weak self] in self?.lookAfterWorkers() }
        log.started(number, process: process.number, isIsolated: isolated)
        return number
    }

    // MARK: Messages, on the worker's thread

    private func take(_ message: WorkerMessage, from number: Int) {
        switch message {
        case .ready(let version, let isRepaired, let warning, let confinement):
            guard pool.withLock({ $0.isFirstAnswer(of: number) }) else { return }
            guard version == WireForm.version else {
                return refuse(
                    number, "The worker program is of another version; install both from the same release.")
            }
            pool.withLock { $0.confinement = confinement }
            log.confined(number, confinement)
            if let warning {
                log.repairIsDoubtful(number, warning.bounded)
            } else if !isRepaired, configuration.executor.usesRepair {
                log.write(.warning, "works without the repair of URLSession: slower, and servers can end it", number)
            }
        case .unusable(let message):
            if pool.withLock({ $0.isFirstAnswer(of: number) }) { refuse(number, message.bounded) }
        case .probed:
            pool.withLock { $0.heard(number) }
        case .report(let id, let report):
            take(report, of: id, from: number)
        case .file(let id, let request):
            take(request, of: id, from: number)
        }
    }

    /// Kills a worker that cannot work. Its attempts end when the process ends.
    func refuse(_ number: Int, _ why: String) { pool.withLock { $0.refuse(number, why) } }

    private func take(_ report: ExecutorReport, of id: TransferID, from number: Int) {
        guard let files = files(of: id, of: number, reporting: report) else { return }
        if case .ended = report { files.close() }
        let report = files.checked(report)
        let (attempt, waiting) = pool.withLock { pool in
            guard let attempt = pool.attempts[id], attempt.files === files else {
                return (nil as WorkerAttempt?, [] as [CheckedContinuation<Void, Never>])
            }
            pool.take(report, of: id)
            return (attempt, pool.takeWaiting())
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
        log.ended(number, end, worker, lost: lost.map(\.id))
        // File operations must end first, so that no operation is running when the next attempt begins.
        for (_, attempt) in lost { attempt.files.close() }
        let what = worker?.refusal ?? "The transfer process \(end.how) under it."
        for (_, attempt) in lost {
            if attempt.isStopping || isShutDown {
                attempt.report(.ended(.stopped(attempt.resume)))
            } else {
                let failure = TransferFailure(cause: .executorLost, message: what)
                attempt.report(.ended(.failed(failure, resume: attempt.resume)))
            }
        }
        // The reports come first, because `shutdown()` also waits for them.
        for continuation in pool.withLock({ $0.takeWaiting() }) { continuation.resume() }
    }

    // MARK: Supervision

    private func lookAfterWorkers() {
        let now = DispatchTime.now().uptimeNanoseconds
        let ended = pool.withLock { pool in
            if pool.workers.isEmpty { ticker.rest() }
            return pool.lookAfterWorkers(now: now)
        }
        for (number, silence) in ended {
            log.write(.error, "has said nothing for \(silence) s, not even when asked, and is ended", number)
        }
    }
}
