// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A buffer of received bytes, filled on NIO's thread and emptied on the connection's own thread.
final class Inbox: @unchecked Sendable {
    // Guard: `condition`, for all mutable state.
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var isOver = false
    private var isHeld = false

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
            isOver = true
            condition.signal()
        }
    }

    /// Returns whether the buffer has room. If not, the next `take` returns `true` as `wasHeld`.
    func hasRoom() -> Bool {
        condition.withLock {
            isHeld = bytes.count >= Self.mark
            return !isHeld
        }
    }

    /// Waits for bytes and returns all of them.
    ///
    /// - Returns: The bytes, which are empty at the end of the input. `wasHeld` is `true` if reading was paused; the
    ///   caller then requests the next read.
    func take() -> (bytes: [UInt8], wasHeld: Bool) {
        condition.withLock {
            while bytes.isEmpty, !isOver { condition.wait() }
            defer {
                bytes = []
                isHeld = false
            }
            return (bytes, isHeld)
        }
    }
}
