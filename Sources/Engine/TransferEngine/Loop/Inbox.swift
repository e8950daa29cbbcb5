// SPDX-License-Identifier: Apache-2.0
import Synchronization
internal import TransferModel

/// The messages that wait for the engine, in order of arrival.
///
/// The inbox has one reader, which receives all waiting messages together. Messages that arrive during a commit can
/// then be saved together.
final class Inbox: Sendable {
    private struct State {
        var messages: [Message] = []
        /// The reader that waits for a message. Set only while there are no messages.
        var reader: CheckedContinuation<[Message], Never>?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// A Boolean value that indicates whether new messages are refused.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Appends a message. Returns `false` and drops the message after `close()`.
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

    /// Puts back messages that were received but not handled, before all others.
    func putBack(_ messages: ArraySlice<Message>) {
        state.withLock { $0.messages.insert(contentsOf: messages, at: 0) }
    }

    /// Removes and returns all messages. Waits for the first message if the inbox is empty. Returns an empty array if
    /// the inbox is closed and empty.
    func receive() async -> [Message] {
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

    /// Refuses messages from now on. The present messages can still be received.
    func close() {
        let reader = state.withLock { state in
            state.isClosed = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: [])
    }
}

/// The announcement of the machine's sleep or shutdown, until it is acknowledged.
///
/// The scheduler stops running transfers as soon as the sleep or shutdown is announced, as for any other condition.
/// The machine may proceed after every attempt has ended and all changes are in the store.
struct SleepAnnouncement {
    /// The announcement that is not acknowledged yet.
    private(set) var pending: Fact<SleepState>?
    /// The announcement that was acknowledged last.
    private var acknowledged: Fact<SleepState>?

    /// Handles the sleep state of a snapshot.
    mutating func receive(_ sleep: Fact<SleepState>) {
        pending = sleep.value == .awake || sleep == acknowledged ? nil : sleep
    }

    /// Records that an announcement was acknowledged.
    mutating func acknowledge(_ announced: Fact<SleepState>) { (pending, acknowledged) = (nil, announced) }
}
