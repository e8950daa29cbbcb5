// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Foundation
import Glibc

/// Sends messages over a socket in the order in which they were posted, several with one call where they come faster
/// than they go.
///
/// Posting does not wait, unless `limit` messages are pending.
package final class Outbox<Message: Encodable & Sendable>: @unchecked Sendable {
    // Guard: `condition` for `pending`, `isSending` and `isBroken`.
    private struct Parcel {
        var message: Message
        var file: PassedFile?
    }
    private let condition = NSCondition()
    private let queue: DispatchQueue
    private let socket: OwnedSocket
    private let limit: Int
    private var pending: [Parcel] = []
    private var isSending = false
    private var isBroken = false

    package init(socket: OwnedSocket, label: String, limit: Int = .max) {
        self.socket = socket
        self.limit = limit
        queue = DispatchQueue(label: label)
    }

    /// Sends `message` when those before are sent, and an open file with it.
    ///
    /// - Parameter limit: the number of pending messages from which on posting waits; nil for the outbox's own.
    package func post(_ message: Message, with file: PassedFile? = nil, limit: Int? = nil) {
        condition.lock()
        while pending.count >= limit ?? self.limit, !isBroken { condition.wait() }
        // Nobody takes it any more.
        guard !isBroken else { return condition.unlock() }
        pending.append(Parcel(message: message, file: file))
        let begins = !isSending
        isSending = true
        condition.unlock()
        if begins { queue.async { self.send() } }
    }

    /// Waits until all has been sent that was posted before, or nobody takes it any more.
    package func flush() { queue.sync {} }

    private func send() {
        while let parcels = take() {
            do {
                var bytes: [UInt8] = []
                var files: [PassedFile] = []
                for parcel in parcels {
                    if files.count == Int(TRANSFER_MOST_FILES) {
                        try write(bytes, files)
                        (bytes, files) = ([], [])
                    }
                    bytes += try WireForm.frame(parcel.message)
                    if let file = parcel.file { files.append(file) }
                }
                try write(bytes, files)
            } catch {
                // The other end is gone, or will be: its reader notices and says so.
                socket.end()
                condition.withLock {
                    isBroken = true
                    pending = []
                    condition.broadcast()
                }
            }
        }
    }

    /// What is pending; nil where nothing is, and the sender may rest.
    private func take() -> [Parcel]? {
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

    /// Files go with the first byte, so that they are there before the message that speaks of them.
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
            guard count > 0 else { throw WireError("the other end is gone") }
            sent += count
        }
    }
}

/// An open file on its way to another process; its owner keeps it open until it was sent.
package struct PassedFile: Sendable {
    package var number: Int32
    private let owner: any AnyObject & Sendable

    package init(_ number: Int32, of owner: any AnyObject & Sendable) {
        self.number = number
        self.owner = owner
    }
}

/// A socket that is closed when nobody holds it any more.
///
/// Whoever may still use it holds it: a number that was closed is soon another file's, and orders for one worker would
/// reach the next.
package final class OwnedSocket: Sendable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Ends both directions: readers and writers return.
    package func end() { shutdown(number, Int32(SHUT_RDWR)) }
}
