// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A buffer of received bytes, filled on NIO's thread and emptied on the connection's own thread.
final class Inbox: @unchecked Sendable {
    // Guard: `condition`, for all mutable state.
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var isEnded = false
    private var isReadPaused = false

    /// The buffer size, in bytes, above which reading pauses and the client's socket blocks.
    private static let mark = 65536

    func add(_ more: some Sequence<UInt8>) {
        condition.withLock {
            bytes += more
            condition.signal()
        }
    }

    /// Marks the end of the connection's input.
    func end() {
        condition.withLock {
            isEnded = true
            condition.signal()
        }
    }

    /// Pauses reading if the buffer is full. The next `removeBytes` then returns `true` as `wasReadPaused`.
    ///
    /// - Returns: `true` if the buffer has room.
    func hasRoom() -> Bool {
        condition.withLock {
            isReadPaused = bytes.count >= Self.mark
            return !isReadPaused
        }
    }

    /// Waits for bytes and returns all of them.
    ///
    /// - Returns: The bytes, which are empty at the end of the input. `wasReadPaused` is `true` if reading was
    ///   paused; the caller then requests the next read.
    func removeBytes() -> (bytes: [UInt8], wasReadPaused: Bool) {
        condition.withLock {
            while bytes.isEmpty, !isEnded { condition.wait() }
            defer {
                bytes = []
                isReadPaused = false
            }
            return (bytes, isReadPaused)
        }
    }
}
