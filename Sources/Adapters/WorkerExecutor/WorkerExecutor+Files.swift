// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization
import TransferEngine
import TransferFiles
internal import TransferModel

/// The files of attempts, which no worker reaches by itself.
extension WorkerExecutor {
    /// Looks at the files of a transfer and has the worker start it; on a thread that may wait for the disk.
    func handOver(_ job: TransferJob, _ files: BrokeredFiles, to number: Int) {
        let (prepared, source) = files.prepare()
        pool.withLock { pool in
            // Its worker may have ended meanwhile, and the attempt with it.
            guard let attempt = pool.attempts[job.id], attempt.files === files else { return }
            pool.attempts[job.id]?.isHandedOver = true
            pool.workers[number]?.process.post(.start(job, prepared), with: source)
            if attempt.isStopping { pool.workers[number]?.process.post(.stop(job.id)) }
        }
    }

    /// Carries out what a worker asks for one of its attempts; a worker that asks for anything else is ended.
    func take(_ request: FileRequest, of id: TransferID, from number: Int) {
        let (files, process) = pool.withLock { pool in
            pool.heard(number)
            let attempt = pool.attempts[id]
            let isIts = attempt?.worker == number && attempt?.isHandedOver == true
            return (isIts ? attempt?.files : nil, pool.workers[number]?.process)
        }
        guard let process else { return }
        guard let files, files.admits(request) else {
            return refuse(number, "The transfer process asked for files that are not its own, and was ended.")
        }
        let carryOut: @Sendable () -> Void = {
            if let (reply, file) = files.carryOut(request) { process.answer(id, reply, with: file) }
        }
        // Syncing takes long, and the other attempts go on; all else is done sooner than handed to another thread.
        if case .adopt = request { process.files.run(carryOut) } else { carryOut() }
    }

    /// The files of the attempt that a worker reports on; nil where there is no such attempt, and for what goes beyond
    /// its budget of reports.
    func files(of id: TransferID, of number: Int, reporting report: ExecutorReport) -> BrokeredFiles? {
        pool.withLock { pool in
            pool.heard(number)
            guard let attempt = pool.attempts[id], attempt.worker == number, attempt.isHandedOver else { return nil }
            if case .ended = report { return attempt.files }
            let now = DispatchTime.now().uptimeNanoseconds
            return pool.attempts[id]?.budget.take(now: now) == true ? attempt.files : nil
        }
    }
}
