// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
import TransferScheduling

/// Servers that want a login before they answer.
extension AttemptReports {
    /// Makes a transfer wait for its app after an attempt that a server challenged: no failure is counted.
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
        // The need first: else the end of the attempt would begin the next one.
        await driver.handle(.appNeeded(id, .authentication))
        await driver.handle(.stopped(id, bytes: resume?.offset ?? 0), saving: [.checkpointed(id, resume)])
    }
}

/// Somebody answered a challenge that nobody waits with: it was answered already, or the transfer is over.
public struct ChallengeAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The transfer.
    public var id: TransferID
    /// What to tell people.
    public var description: String { "transfer \(id) waits for no answer to a login, so none can be given" }
}
