// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// The files of attempts. Workers cannot access them directly.
extension WorkerExecutor {
    /// Prepares the files of a transfer and orders the worker to start the attempt. Runs on a thread that may wait for
    /// the disk.
    func submit(_ job: TransferJob, _ files: BrokeredFiles, to process: WorkerProcess) {
        let (prepared, source) = files.prepare {
            pool.withLock { $0.attempts[job.id]?.isStopping != false }
        }
        guard pool.withLock({ $0.advance(job.id, files, to: .starting) }) != nil else { return }
        // Not under the lock, for which all other attempts would wait meanwhile.
        process.post(.start(job, prepared), with: source)
        if pool.withLock({ $0.advance(job.id, files, to: .started) })?.isStopping == true {
            process.post(.stop(job.id))
        }
    }

    /// Carries out a worker's request for the files of one of its attempts. A worker that sends any other request is
    /// killed.
    func accept(_ request: FileRequest, of id: TransferID, from number: Int) {
        let (files, process) = pool.withLock { pool in
            pool.heard(number)
            let attempt = pool.attempts[id]
            let ownsAttempt = attempt?.worker == number && attempt?.phase != .preparing
            return (ownsAttempt ? attempt?.files : nil, pool.workers[number]?.process)
        }
        guard let process else { return }
        guard let files, files.admits(request) else {
            return refuse(number, "The worker process requested files of another transfer and was killed.")
        }
        let carryOut: @Sendable () -> Void = {
            if let (reply, file) = files.carryOut(request) { process.sendReply(id, reply, with: file) }
        }
        // A sync takes long, and other attempts must continue meanwhile. All other requests take less time than a
        // change of thread.
        if case .adopt = request { process.files.run(carryOut) } else { carryOut() }
    }

    /// Returns the files of the attempt on which a worker reports.
    ///
    /// Returns `nil` if there is no such attempt, or if the report exceeds the attempt's budget.
    func files(of id: TransferID, of number: Int, reporting report: ExecutorReport) -> BrokeredFiles? {
        pool.withLock { pool in
            pool.heard(number)
            guard let attempt = pool.attempts[id], attempt.worker == number, attempt.phase != .preparing else {
                return nil
            }
            if case .ended = report { return attempt.files }
            let now = DispatchTime.now().uptimeNanoseconds
            return pool.attempts[id]?.budget.accept(now: now) == true ? attempt.files : nil
        }
    }
}
