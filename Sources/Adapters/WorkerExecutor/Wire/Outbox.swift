// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Foundation
import Glibc

/// Sends messages over a socket in posting order.
///
/// If messages are posted faster than they are sent, several messages are sent in a single call. Posting blocks only
/// while `limit` messages are pending.
package final class Outbox<Message: Encodable & Sendable>: @unchecked Sendable {
    // Guard: `condition`, for `pending`, `isSending`, and `isBroken`.
    private struct Envelope {
        var message: Message
        var file: PassedFile?
    }
    private let condition = NSCondition()
    private let queue: DispatchQueue
    private let socket: OwnedSocket
    private let limit: Int
    private var pending: [Envelope] = []
    private var isSending = false
    private var isBroken = false

    package init(socket: OwnedSocket, label: String, limit: Int = .max) {
        self.socket = socket
        self.limit = limit
        queue = DispatchQueue(label: label)
    }

    /// Sends `message`, optionally with an open file, after the earlier messages.
    ///
    /// - Parameters:
    ///   - message: The message to send.
    ///   - file: An open file that accompanies the message.
    ///   - limit: The number of pending messages at which posting blocks. If `nil`, the outbox's own limit applies.
    package func post(_ message: Message, with file: PassedFile? = nil, limit: Int? = nil) {
        condition.lock()
        while pending.count >= limit ?? self.limit, !isBroken { condition.wait() }
        // The peer no longer receives messages.
        guard !isBroken else { return condition.unlock() }
        pending.append(Envelope(message: message, file: file))
        let begins = !isSending
        isSending = true
        condition.unlock()
        if begins { queue.async { self.send() } }
    }

    /// Waits until all earlier messages are sent, or until the peer no longer receives messages.
    package func flush() { queue.sync {} }

    private func send() {
        while let parcels = removePending() {
            do {
                var bytes: [UInt8] = []
                var files: [PassedFile] = []
                for parcel in parcels {
                    if files.count == Int(TRANSFER_MOST_FILES) {
                        try write(bytes, files)
                        (bytes, files) = ([], [])
                    }
                    bytes += try WireFormat.frame(parcel.message)
                    if let file = parcel.file { files.append(file) }
                }
                try write(bytes, files)
            } catch {
                // The peer has exited or will exit soon. The reader of the socket detects and reports the end.
                socket.end()
                condition.withLock {
                    isBroken = true
                    pending = []
                    condition.broadcast()
                }
            }
        }
    }

    /// Removes and returns the pending messages. Returns `nil` if there are none, and the sender may rest.
    private func removePending() -> [Envelope]? {
        condition.withLock {
            guard !pending.isEmpty else {
                isSending = false
                return nil
            }
            defer { pending = [] }
            condition.broadcast()
            return pending
        }
    }

    /// Writes bytes and files. The files accompany the first byte, so that they arrive before the message that
    /// mentions them.
    private func write(_ bytes: [UInt8], _ files: [PassedFile]) throws {
        var sent = 0
        let numbers = files.map(\.number)
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                transfer_send_files(
                    socket.number, buffer.baseAddress.map { $0 + sent }, UInt(buffer.count - sent), numbers,
                    sent == 0 ? UInt32(numbers.count) : 0)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw WireError("the peer closed the connection") }
            sent += count
        }
    }
}

/// An open file on its way to another process. Its owner keeps the file open until it is sent.
package struct PassedFile: Sendable {
    package var number: Int32
    private let owner: any AnyObject & Sendable

    package init(_ number: Int32, of owner: any AnyObject & Sendable) {
        self.number = number
        self.owner = owner
    }
}

/// A socket that is closed together with its last reference.
///
/// All users of the socket must keep a reference. The number of a closed socket is soon reused for another file, and
/// orders for a worker would reach the wrong worker.
package final class OwnedSocket: Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Ends both directions. Blocked readers and writers return.
    package func end() { shutdown(number, Int32(SHUT_RDWR)) }
}
