// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Saying why transfers wait, to those who ask.
extension TransferEngine {
    /// Answers at once, or after the first look at the machine: before it nothing can be said.
    func explain(_ id: TransferID, to reply: CheckedContinuation<Explanation?, Never>) async {
        // One that nobody handed over needs no look.
        guard !hasLooked, await stored(id) != nil else { return reply.resume(returning: explanation(of: id)) }
        awaitingExplanations.append((id, reply))
    }

    /// Answers those who waited for the first look, or for the end.
    func answerAwaitingExplanations() {
        let waiting = awaitingExplanations
        awaitingExplanations = []
        for (id, reply) in waiting { reply.resume(returning: explanation(of: id)) }
    }
}
