// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The turns of calls that work on a session: one at a time, in the order of the calls.
///
/// Belongs to one actor. The actor takes other calls while a turn waits for the disk, and would mix two calls without turns.
final class SessionTurns {
    /// The calls that wait for a session.
    private final class Line {
        var isBusy = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private var lines: [SessionKey: Line] = [:]

    /// Runs `body` once all earlier calls for the session have ended. Sessions do not wait for each other.
    func inTurn<Value: Sendable>(
        of key: SessionKey, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let line = lines[key] ?? Line()
        lines[key] = line
        if line.isBusy { await withCheckedContinuation { line.waiting.append($0) } }
        line.isBusy = true
        defer {
            if line.waiting.isEmpty { lines[key] = nil } else { line.waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
