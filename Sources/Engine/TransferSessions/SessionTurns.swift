// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A serial queue of calls for each session, in the order of the calls.
///
/// Belongs to one actor. The actor is reentrant while a call waits for the disk. Without turns, two calls could
/// interleave.
final class SessionTurns {
    /// The calls that wait for one session.
    private final class Queue {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private var queues: [SessionKey: Queue] = [:]

    /// Runs `body` after all earlier calls for the session have ended. Sessions do not wait for each other.
    func inTurn<Value: Sendable>(
        of key: SessionKey, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let queue = queues[key] ?? Queue()
        queues[key] = queue
        if queue.isBusy { await withCheckedContinuation { queue.waiting.append($0) } }
        queue.isBusy = true
        defer {
            if queue.waiting.isEmpty { queues[key] = nil } else { queue.waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
