// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// The handling of files that have several URLs.
extension AttemptReports {
    /// Continues a transfer at its next URL after a server rejected the attempt.
    ///
    /// - Returns: Whether the outcome is handled. If `false`, the transfer ends with the response.
    nonisolated(nonsending) func continueElsewhere(
        _ id: TransferID, _ record: TransferRecord, after completion: TransferCompletion
    ) async -> Bool {
        guard completion.isFailure, let specification = record.specification, let mirrors = specification.mirrors,
            !specification.keepsErrorBody
        else { return false }
        let failure = TransferFailure(
            cause: .status(completion.status), message: "The server answered \(completion.status).")
        if let next = mirrors.next {
            await move(id, record, to: next, after: failure, keeping: nil)
            return true
        }
        // The last server has no such file, but an earlier one may be back later.
        guard let cause = record.temporaryCause else { return false }
        record.outcome = .failed(failure, resume: nil)
        await end(.failed(id, cause, retryAfter: nil, bytes: 0), nil, of: id, record)
        driver.reportEndOfAttempt(id, at: driver.alarm.now())
        return true
    }

    /// Continues a transfer at its next URL after an attempt failed.
    ///
    /// - Returns: Whether the transfer continues there. If `false`, the scheduler decides on a retry.
    nonisolated(nonsending) func continueElsewhere(
        _ id: TransferID, _ record: TransferRecord, after failure: TransferFailure, _ resume: ResumePoint?
    ) async -> Bool {
        guard let specification = record.specification, let next = specification.mirrors?.next,
            failure.cause.concernsServer
        else { return false }
        let kept = failure.cause.spoilsBytes ? nil : resume
        let bytes = kept?.offset ?? 0
        if failure.cause.isTemporary, !failure.cause.spoilsBytes {
            // A server that delivers is worth another attempt, and so are bytes that only it can continue.
            guard bytes <= record.bytesAtStart, bytes == 0 || specification.checksum != nil else { return false }
            record.temporaryCause = failure.cause
        }
        // Without a version, the bytes of two servers would be joined unseen, and the second one blamed for the first.
        let isJoinable = specification.checksum != nil && kept?.validator != nil
        await move(id, record, to: next, after: failure, keeping: isJoinable ? kept : nil)
        return true
    }

    /// Returns the cause of a failure at the last URL, or the cause of an earlier failure that may have passed.
    func causeOfRound(_ record: TransferRecord, _ cause: FailureCause) -> FailureCause {
        cause.isTemporary || !cause.concernsServer ? cause : record.temporaryCause ?? cause
    }

    private nonisolated(nonsending) func move(
        _ id: TransferID, _ record: TransferRecord, to mirrors: MirrorList, after failure: TransferFailure,
        keeping resume: ResumePoint?
    ) async {
        let now = driver.alarm.now()
        if let explanation = driver.scheduler.explanation(of: id, at: now) {
            driver.updates.report(id, .retrying(explanation, failure, bytes: resume?.offset ?? 0), at: now)
        }
        if resume == nil { driver.attempts.discard(id, record.specification, record.resume) }
        (record.resume, record.outcome) = (resume, nil)
        record.specification?.mirrors = mirrors
        let respecified = record.specification.map { StoreChange.respecified(id, $0) }
        await driver.handle(
            .stopped(id, bytes: resume?.bytes ?? 0),
            saving: [respecified, .checkpointed(id, resume)].compactMap(\.self))
    }
}
