// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy
import TransferScheduling

/// Servers that want a login before they answer.
extension TransferEngine {
    /// What the server wants of a transfer that waits for its app to answer a login; empty where none does.
    ///
    /// Told by ``updates`` as a pause with the reason `needsApp`. Forgotten at the end of the engine: the next run's first
    /// attempt is challenged again.
    public func challenges(of id: TransferID) -> [AuthenticationChallenge] { records[id]?.challenges ?? [] }

    /// Answers the challenge that a transfer waits with, and lets it go on. On return the answer is durably stored.
    ///
    /// The answer is for the server that asked, and no other gets it. Where it is refused, the transfer waits with a new
    /// challenge, which says so. After ``ChallengeAnswer/refuse`` the server is asked once more and its 401 is the
    /// transfer's end, as it would have been without anybody to ask.
    ///
    /// - Throws: `ChallengeAnswerError` where the transfer waits with no challenge, `TransferStoreError` where the answer
    ///   could not be saved, `EngineEndedError` after the end of the engine; nothing is changed then.
    public func answerChallenge(_ id: TransferID, with answer: ChallengeAnswer) async throws {
        guard state != .ended else { throw EngineEndedError() }
        try await withCheckedThrowingContinuation { continuation in
            if !inbox.put(.answer(id, answer, continuation)) {
                continuation.resume(throwing: EngineEndedError())
            }
        }
    }

    /// Saves an answer, lets the scheduler know of it, and answers who gave it.
    func carryOut(
        _ answer: ChallengeAnswer, of id: TransferID, _ reply: CheckedContinuation<Void, any Error>
    ) async {
        do {
            guard let record = records[id], let origin = record.challenges.first?.origin else {
                throw ChallengeAnswerError(id: id)
            }
            var specification = try await specification(of: id)
            specification.answeredChallenges.removeAll { $0.origin == origin }
            specification.answeredChallenges.append(
                AnsweredChallenge(origin: origin, answer: answer, bytes: record.resume?.offset ?? 0))
            try await store.commit([.respecified(id, specification)])
            reply.resume()
            records[id]?.specification = specification
            records[id]?.challenges = []
            await handle(.appAnswered(id))
        } catch {
            reply.resume(throwing: error)
        }
    }

    /// Makes a transfer wait for its app after an attempt that a server challenged: no failure is counted.
    func challenged(_ id: TransferID, _ challenges: [AuthenticationChallenge], _ resume: ResumePoint?) async {
        records[id]?.resume = resume
        let answers = records[id]?.specification?.answeredChallenges ?? []
        records[id]?.challenges = challenges.map { challenge in
            var challenge = challenge
            let before = answers.first { $0.origin == challenge.origin }?.bytes
            if let before, let bytes = resume?.offset, bytes > before { challenge.wasAnswered = false }
            return challenge
        }
        // The need first: else the end of the attempt would begin the next one.
        await handle(.appNeeded(id, .authentication))
        await handle(.stopped(id, bytes: resume?.offset ?? 0), saving: [.checkpointed(id, resume)])
    }
}

/// Somebody answered a challenge that nobody waits with: it was answered already, or the transfer is over.
public struct ChallengeAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The transfer.
    public var id: TransferID
    /// What to tell people.
    public var description: String { "transfer \(id) waits for no answer to a login, so none can be given" }
}
