// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
import TransferScheduling

/// The handling of servers that request a login.
extension AttemptReports {
    /// Makes a transfer wait for its app after a server challenged its attempt. Counts no failure.
    nonisolated(nonsending) func receiveChallenge(
        _ challenges: [AuthenticationChallenge], _ resume: ResumePoint?, of id: TransferID, _ record: TransferRecord
    ) async {
        record.resume = resume
        let answers = record.specification?.challengeResponses ?? []
        record.challenges = challenges.map { challenge in
            var challenge = challenge
            let before = answers.first { $0.origin == challenge.origin }?.bytes
            if let before, let bytes = resume?.offset, bytes > before { challenge.wasRefused = false }
            return challenge
        }
        // Report the need first. Otherwise, the end of the attempt would start the next attempt.
        await driver.handle(.appNeeded(id, .authentication))
        await driver.handle(.stopped(id, bytes: resume?.offset ?? 0), saving: [.checkpointed(id, resume)])
    }
}

/// An error that indicates that a transfer does not wait for an answer to a challenge. The challenge was answered, or
/// the transfer has ended.
public struct ChallengeAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The ID of the transfer.
    public var id: TransferID
    /// The message for the user.
    public var description: String { "transfer \(id) does not wait for an answer to a login" }
}
