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
        state.withLock { state in
            // Its worker may have ended meanwhile, and the attempt with it.
            guard let attempt = state.attempts[job.id], attempt.files === files else { return }
            state.attempts[job.id]?.isHandedOver = true
            state.workers[number]?.process.post(.start(job, prepared), with: source)
            if attempt.isStopping { state.workers[number]?.process.post(.stop(job.id)) }
        }
    }

    /// Carries out what a worker asks for one of its attempts; a worker that asks for anything else is ended.
    func take(_ request: FileRequest, of id: TransferID, from number: Int) {
        let (files, process) = state.withLock { state in
            state.workers[number]?.spoke()
            let attempt = state.attempts[id]
            let isIts = attempt?.worker == number && attempt?.isHandedOver == true
            return (isIts ? attempt?.files : nil, state.workers[number]?.process)
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
        state.withLock { state in
            state.workers[number]?.spoke()
            guard let attempt = state.attempts[id], attempt.worker == number, attempt.isHandedOver else { return nil }
            if case .ended = report { return attempt.files }
            let now = DispatchTime.now().uptimeNanoseconds
            return state.attempts[id]?.budget.take(now: now) == true ? attempt.files : nil
        }
    }
}

/// Bounds how many reports of an attempt are passed on, since a hostile worker can make them faster than they are read.
///
/// What goes beyond is dropped: progress is told again, and the end says what was kept.
struct ReportBudget: Sendable {
    /// Reports at once, and a second from then on; an attempt makes some ten a second.
    private static let most = 4096
    private static let perSecond: UInt64 = 1000

    private var left = Self.most
    private var filled: UInt64 = 0

    /// Whether one more is passed on, by a clock in nanoseconds that is never set.
    mutating func take(now: UInt64) -> Bool {
        let more = (now - min(filled, now)) / (1_000_000_000 / Self.perSecond)
        if more > 0 {
            left = min(Self.most, left + Int(clamping: min(more, UInt64(Self.most))))
            filled = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
