// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What came on a connection and was not read yet: filled on NIO's thread, emptied on the connection's own.
final class Inbox: @unchecked Sendable {
    // Guard: `condition` for all of it.
    private let condition = NSCondition()
    private var bytes: [UInt8] = []
    private var isOver = false
    private var isHeld = false

    /// Above this the client is held up, as a server that does not read does.
    private static let mark = 65536

    func add(_ more: some Sequence<UInt8>) {
        condition.withLock {
            bytes += more
            condition.signal()
        }
    }

    /// Nothing will come any more.
    func end() {
        condition.withLock {
            isOver = true
            condition.signal()
        }
    }

    /// Whether there is room; if not, `take` tells when there is again.
    func hasRoom() -> Bool {
        condition.withLock {
            isHeld = bytes.count >= Self.mark
            return !isHeld
        }
    }

    /// Waits for bytes and takes all of them; none where there will be none. `wasHeld` asks for the next read.
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
