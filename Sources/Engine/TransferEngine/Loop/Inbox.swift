// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What waits for the engine, in the order it came. One reader; who reads takes all there is, so that what came while
/// the last was being saved can be saved together.
final class Inbox: Sendable {
    private struct State {
        var messages: [Message] = []
        /// The reader that waits for a message; only while there is none.
        var reader: CheckedContinuation<[Message], Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Whether messages are refused.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Puts a message at the end; false, and nothing kept, after `close()`.
    @discardableResult
    func put(_ message: Message) -> Bool {
        let (isOpen, reader) = state.withLock { state -> (Bool, CheckedContinuation<[Message], Never>?) in
            guard !state.isClosed else { return (false, nil) }
            guard let reader = state.reader else {
                state.messages.append(message)
                return (true, nil)
            }
            state.reader = nil
            return (true, reader)
        }
        reader?.resume(returning: [message])
        return isOpen
    }

    /// Puts messages that were taken and not dealt with before all others.
    func putBack(_ messages: ArraySlice<Message>) {
        state.withLock { $0.messages.insert(contentsOf: messages, at: 0) }
    }

    /// Takes all messages, waiting for the first; none when it is closed and empty.
    func take() async -> [Message] {
        await withCheckedContinuation { continuation in
            let messages = state.withLock { state -> [Message]? in
                guard state.messages.isEmpty, !state.isClosed else {
                    defer { state.messages = [] }
                    return state.messages
                }
                state.reader = continuation
                return nil
            }
            if let messages { continuation.resume(returning: messages) }
        }
    }

    /// Refuses messages from now on; those that are there can still be taken.
    func close() {
        let reader = state.withLock { state in
            state.isClosed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: [])
    }
}
