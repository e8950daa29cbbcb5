// SPDX-License-Identifier: Apache-2.0
import CProcess
import Dispatch
import Foundation
import Glibc

/// Sends messages over a socket in posting order.
///
/// The thread that posts a message also sends it, because a change of thread takes longer than the call. If the socket
/// is full, a separate queue sends the rest. Messages that are posted in the meantime are sent together. Posting
/// blocks only while `limit` messages are pending.
package final class Outbox<Message: Encodable & Sendable>: @unchecked Sendable {
    // Guard: `condition`, for `pending`, `isSending`, and `isBroken`. The thread that set `isSending` owns `parcels`.
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
    /// The bytes and files that are being sent.
    private var parcels: ArraySlice<Parcel> = []

    /// Bytes that are sent with a single call, and the files that accompany the first of them.
    private struct Parcel {
        var bytes: [UInt8] = []
        var sent = 0
        var files: [PassedFile] = []
    }

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
    ///   - isHeld: A Boolean value that indicates whether the message may wait for the next call of `sendHeld()`.
    package func post(_ message: Message, with file: PassedFile? = nil, limit: Int? = nil, isHeld: Bool = false) {
        condition.lock()
        while pending.count >= limit ?? self.limit, !isBroken { condition.wait() }
        // The peer no longer receives messages.
        guard !isBroken else { return condition.unlock() }
        pending.append(Envelope(message: message, file: file))
        if isHeld, pending.count < Self.mostHeld { return condition.unlock() }
        let begins = !isSending
        isSending = true
        condition.unlock()
        if begins { sendOrEnqueue() }
    }

    /// Sends the messages that were held.
    package func sendHeld() {
        let begins = condition.withLock {
            guard !isSending, !pending.isEmpty else { return false }
            isSending = true
            return true
        }
        if begins { sendOrEnqueue() }
    }

    private static var mostHeld: Int { 64 }

    private func sendOrEnqueue() {
        if !send(waits: false) { queue.async { _ = self.send(waits: true) } }
    }

    /// Waits until all earlier messages are sent, or until the peer no longer receives messages.
    package func flush() {
        sendHeld()
        condition.withLock {
            while isSending, !isBroken { condition.wait() }
        }
    }

    /// Sends all pending messages. Returns `false` if messages are left for the queue: without `waits`, because the socket
    /// is full, or because other threads have posted more messages meanwhile.
    private func send(waits: Bool) -> Bool {
        do {
            while true {
                if parcels.isEmpty {
                    guard let envelopes = removePending() else { return true }
                    parcels = try Self.parcels(envelopes)
                }
                guard try write(waits: waits) else { return false }
                if !waits { return rests() }
            }
        } catch {
            // The peer has exited or will exit soon. The reader of the socket detects and reports the end.
            socket.end()
            condition.withLock {
                (isBroken, isSending) = (true, false)
                (pending, parcels) = ([], [])
                condition.broadcast()
            }
            return true
        }
    }

    /// Removes and returns the pending messages. Returns `nil` if there are none, and the sender may rest.
    private func removePending() -> [Envelope]? {
        condition.withLock {
            guard !restsLocked() else { return nil }
            defer { pending = [] }
            condition.broadcast()
            return pending
        }
    }

    /// Returns whether nothing is pending, and the sender may rest.
    private func rests() -> Bool { condition.withLock { restsLocked() } }

    private func restsLocked() -> Bool {
        guard pending.isEmpty else { return false }
        isSending = false
        condition.broadcast()
        return true
    }

    private static func parcels(_ envelopes: [Envelope]) throws -> ArraySlice<Parcel> {
        var parcels = [Parcel()]
        for envelope in envelopes {
            if parcels[parcels.count - 1].files.count == Int(TRANSFER_MOST_FILES) { parcels.append(Parcel()) }
            parcels[parcels.count - 1].bytes += try WireFormat.frame(envelope.message)
            if let file = envelope.file { parcels[parcels.count - 1].files.append(file) }
        }
        return parcels[...]
    }

    /// Writes the parcels. The files accompany the first byte, so that they arrive before the message that mentions
    /// them.
    ///
    /// - Returns: `false` if the socket is full and `waits` is false.
    private func write(waits: Bool) throws -> Bool {
        while var parcel = parcels.popFirst() {
            let numbers = parcel.files.map(\.number)
            while parcel.sent < parcel.bytes.count {
                let count = parcel.bytes.withUnsafeBytes { buffer in
                    transfer_send_files(
                        socket.number, buffer.baseAddress.map { $0 + parcel.sent }, UInt(buffer.count - parcel.sent),
                        numbers, parcel.sent == 0 ? UInt32(numbers.count) : 0, waits ? 1 : 0)
                }
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN, !waits {
                    parcels = [parcel] + parcels
                    return false
                }
                guard count > 0 else { throw WireError("the peer closed the connection") }
                parcel.sent += count
            }
        }
        return true
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
