// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
import TransferScheduling

/// The handling of servers that ask for a login.
extension AttemptReports {
    /// Makes a transfer wait for its app after a server challenged its attempt. Counts no failure.
    nonisolated(nonsending) func takeChallenge(
        _ challenges: [AuthenticationChallenge], _ resume: ResumePoint?, of id: TransferID, _ record: TransferRecord
    ) async {
        record.resume = resume
        let answers = record.specification?.answeredChallenges ?? []
        record.challenges = challenges.map { challenge in
            var challenge = challenge
            let before = answers.first { $0.origin == challenge.origin }?.bytes
            if let before, let bytes = resume?.offset, bytes > before { challenge.wasAnswered = false }
            return challenge
        }
        // Report the need first. Otherwise, the end of the attempt would start the next attempt.
        await driver.handle(.appNeeded(id, .authentication))
        await driver.handle(.stopped(id, bytes: resume?.offset ?? 0), saving: [.checkpointed(id, resume)])
    }
}

/// An error that indicates that a transfer waits for no answer to a challenge, because it was answered or has ended.
public struct ChallengeAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the transfer.
    public var id: TransferID
    /// A message for people.
    public var description: String { "transfer \(id) waits for no answer to a login, so none can be given" }
}
