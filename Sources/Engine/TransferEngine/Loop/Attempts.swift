// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The attempts of an executor, whose reports come as messages into the inbox.
struct Attempts: Sendable {
    private let executor: any TransferExecutor
    private let inbox: Inbox
    /// Whose room on disk is to be measured: away from the engine, which a hung mount must not hold up.
    private let measurements: AsyncStream<(TransferID, TransferSpecification)>
    private let measuring: AsyncStream<(TransferID, TransferSpecification)>.Continuation

    /// The attempts of `executor`, none of which runs.
    init(executor: any TransferExecutor, inbox: Inbox) {
        (self.executor, self.inbox) = (executor, inbox)
        (measurements, measuring) = AsyncStream.makeStream()
    }

    /// Starts an attempt.
    func start(_ job: TransferJob, attempt: Int) {
        executor.start(job) { [inbox] report in
            inbox.put(.report(job.id, attempt: attempt, report))
        }
    }

    /// Reports that what an attempt is to do cannot be read.
    func reportUnreadable(_ id: TransferID, attempt: Int) { inbox.put(.unreadable(id, attempt: attempt)) }

    /// Has an attempt stopped; its end is reported.
    func stop(_ id: TransferID) { executor.stop(id) }

    /// Has removed what a transfer left, if it left anything.
    func discard(_ id: TransferID, _ specification: TransferSpecification?, _ resume: ResumePoint?) {
        guard let specification, resume != nil else { return }
        executor.discard(TransferJob(id: id, specification: specification, resume: resume))
    }

    /// Has the room on disk measured for a transfer.
    func measureSpace(for id: TransferID, _ specification: TransferSpecification) {
        measuring.yield((id, specification))
    }

    /// Measures what is asked for, until it is cancelled.
    func carryOutMeasurements() async {
        for await (id, specification) in measurements {
            let available = executor.availableSpace(for: specification)
            inbox.put(.command(.spaceMeasured(id, available: available)))
        }
    }

    /// Stops all attempts; returns when their ends are in the inbox.
    func shutDown() async {
        await executor.shutdown()
        inbox.put(.executorEnded)
    }
}
