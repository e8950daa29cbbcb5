// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// What the engine knows of a transfer that is not over, beside what the scheduler knows.
///
/// An object, the engine's own: thousands of them in a dictionary would take their size again for its empty places.
final class TransferRecord {
    /// What to do; nil where only the store has it.
    var specification: TransferSpecification?
    /// What there is to continue from; means nothing before it was read from the store.
    var resume: ResumePoint?
    /// Whether `resume` is what counts: it was read, or is this run's.
    var isRead: Bool
    /// Counts the attempts of this run, from when they are decided: reports of an earlier one are late and dropped.
    var attempt = 0
    /// Bytes that have been counted, from the start of the partial file.
    var countedBytes: Int64 = 0
    /// Whether somebody wants to be told why it waits.
    var isWatched = false
    /// The codes of the reasons told last; nil once it has gone on since.
    var toldReasons: [String]?
    /// What the server wants first, where the app is to answer; empty where nobody waits for it.
    var challenges: [AuthenticationChallenge] = []
    /// What the attempt that ended last reported, for the effects that follow from it; nil once it has been told.
    var outcome: ExecutorOutcome?

    /// One that is new, with its specification, or about which nothing was read yet.
    init(specification: TransferSpecification? = nil) {
        self.specification = specification
        isRead = specification != nil
    }

    /// The scheduler's word on the transfer's end, with what the executor reported.
    ///
    /// - Returns: nil if the executor has not reported what the scheduler speaks of.
    func ending(_ ending: Ending) -> TransferEnding? {
        switch (ending, outcome) {
        case (.cancelled, _):
            return .cancelled
        case (.finished, .finished(let completion)):
            // An upload that was answered is over, on the server's side too.
            let keepsBytes = completion.file == nil && specification?.upload == nil
            return .completed(completion, keeping: keepsBytes ? resume : nil)
        case (.answered(let status), _):
            return .completed(TransferCompletion(status: status, file: nil), keeping: resume)
        case (.failed(let cause), .failed(let failure, _)) where failure.cause == cause:
            return .failed(failure, keeping: cause.spoilsBytes ? nil : resume)
        case (.failed(let cause), .failed(let failure, _)):
            // The scheduler gives up for a reason of its own; what the attempt ran into last tells why it came to that.
            let message = "\(cause.phrase); the last attempt failed: \(failure.message)"
            return .failed(TransferFailure(cause: cause, message: message), keeping: cause.spoilsBytes ? nil : resume)
        case (.failed(let cause), _):
            return .failed(
                TransferFailure(cause: cause, message: cause.phrase), keeping: cause.spoilsBytes ? nil : resume)
        case (.finished, _):
            // The scheduler says finished only after the executor did.
            return nil
        }
    }
}

extension FailureCause {
    /// Whether nobody wants the bytes that came: they are no part of what was asked for, or come too late.
    fileprivate var spoilsBytes: Bool { self == .checksumMismatch || self == .tooLarge || self == .expired }
}
