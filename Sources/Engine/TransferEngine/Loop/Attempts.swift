// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The attempts of an executor. Their reports arrive as messages in the inbox.
struct Attempts: Sendable {
    private let executor: any TransferExecutor
    private let inbox: Inbox
    /// The transfers whose disk space is to be measured. Measured outside the engine's actor, because a mount can
    /// hang.
    private let measurements: AsyncStream<(TransferID, TransferSpecification)>
    private let measuring: AsyncStream<(TransferID, TransferSpecification)>.Continuation

    /// Creates the attempts of `executor`, none of which runs.
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

    /// Reports that the specification of an attempt cannot be read.
    func reportUnreadable(_ id: TransferID, attempt: Int) { inbox.put(.unreadable(id, attempt: attempt)) }

    /// Stops an attempt. The executor reports the end of the attempt.
    func stop(_ id: TransferID) { executor.stop(id) }

    /// Removes the files that a transfer left, if the transfer has a resume point.
    func discard(_ id: TransferID, _ specification: TransferSpecification?, _ resume: ResumePoint?) {
        guard let specification, resume != nil else { return }
        executor.discard(TransferJob(id: id, specification: specification, resume: resume))
    }

    /// Requests a measurement of the disk space for a transfer.
    func measureSpace(for id: TransferID, _ specification: TransferSpecification) {
        measuring.yield((id, specification))
    }

    /// Performs the requested measurements until the task is canceled.
    func carryOutMeasurements() async {
        for await (id, specification) in measurements {
            let available = executor.availableSpace(for: specification)
            inbox.put(.command(.spaceMeasured(id, available: available)))
        }
    }

    /// Stops all attempts. Returns after their ends are in the inbox.
    func shutDown() async {
        await executor.shutdown()
        inbox.put(.executorEnded)
    }
}
