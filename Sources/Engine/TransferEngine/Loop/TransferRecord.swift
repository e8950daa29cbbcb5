// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The engine's values of an unfinished transfer, in addition to the scheduler's values.
///
/// This type is a class because a dictionary of large structures also reserves their size for its empty slots.
final class TransferRecord {
    /// The specification, or `nil` if only the store has it.
    var specification: TransferSpecification?
    /// The resume point. Valid only if `isRead` is true.
    var resume: ResumePoint?
    /// A Boolean value that indicates whether `resume` is valid: read from the store, or set in this run.
    var isRead: Bool
    /// The number of attempts decided in this run. Reports of earlier attempts are late and dropped.
    var attempt = 0
    /// The number of bytes that the metrics have counted, from the start of the partial file.
    var countedBytes: Int64 = 0
    /// The number of bytes at the start of the latest attempt.
    var bytesAtStart: Int64 = 0
    /// The cause for which an earlier URL of the present round may succeed later; `nil` if there is none.
    var temporaryCause: FailureCause?
    /// A Boolean value that indicates whether the reasons for a wait are reported.
    var isWatched = false
    /// The codes of the reasons that were reported last, or `nil` if the transfer has started since.
    var reportedReasons: [String]?
    /// The challenges that the app must answer. Empty if the transfer does not wait for an answer.
    var challenges: [AuthenticationChallenge] = []
    /// The outcome of the latest attempt, kept for the effects that follow, or `nil` after it was reported.
    var outcome: ExecutorOutcome?

    /// Creates a record of a new transfer with its specification, or a record that is not read yet.
    init(specification: TransferSpecification? = nil, resume: ResumePoint? = nil) {
        (self.specification, self.resume) = (specification, resume)
        isRead = specification != nil
    }

    /// Combines the scheduler's ending with the outcome that the executor reported.
    ///
    /// - Returns: The outcome of the transfer, or `nil` if the executor has not reported a matching outcome.
    func ending(_ ending: Ending) -> TransferEnding? {
        switch (ending, outcome) {
        case (.cancelled, _):
            return .cancelled
        case (.finished, .finished(let completion)):
            // A completed upload has also ended on the server.
            let keepsBytes = completion.file == nil && specification?.upload == nil
            return .completed(completion, keeping: keepsBytes ? resume : nil)
        case (.responded(let status), _):
            return .completed(TransferCompletion(status: status, file: nil), keeping: resume)
        case (.failed(let cause), .failed(let failure, _)) where failure.cause == cause:
            return .failed(failure, keeping: cause.spoilsBytes ? nil : resume)
        case (.failed(let cause), .failed(let failure, _)):
            // The scheduler gave up for its own reason. The last failure of an attempt explains the cause.
            let message = "\(cause.phrase); the last attempt failed: \(failure.message)"
            return .failed(TransferFailure(cause: cause, message: message), keeping: cause.spoilsBytes ? nil : resume)
        case (.failed(let cause), _):
            return .failed(
                TransferFailure(cause: cause, message: cause.phrase), keeping: cause.spoilsBytes ? nil : resume)
        case (.finished, _):
            // The scheduler reports the finish only after the executor has reported it.
            return nil
        }
    }
}

extension FailureCause {
    /// A Boolean value that indicates whether the received bytes are useless, because they are wrong or late.
    var spoilsBytes: Bool { self == .checksumMismatch || self == .tooLarge || self == .expired }
}
