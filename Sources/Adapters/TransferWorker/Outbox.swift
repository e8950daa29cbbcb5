// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc

/// Sends messages over a socket in the order in which they were posted, several with one call where they come faster
/// than they go.
///
/// Who posts does not wait, unless `limit` messages are pending.
final class Outbox<Message: Encodable & Sendable>: @unchecked Sendable {
    // Guard: `condition` for `pending`, `isSending` and `isBroken`.
    private let condition = NSCondition()
    private let queue: DispatchQueue
    private let socket: OwnedSocket
    private let limit: Int
    private var pending: [Message] = []
    private var isSending = false
    private var isBroken = false

    init(socket: OwnedSocket, label: String, limit: Int = .max) {
        self.socket = socket
        self.limit = limit
        queue = DispatchQueue(label: label)
    }

    func post(_ message: Message) {
        condition.lock()
        while pending.count >= limit, !isBroken { condition.wait() }
        pending.append(message)
        let begins = !isSending
        isSending = true
        condition.unlock()
        if begins { queue.async { self.send() } }
    }

    /// Waits until all has been sent that was posted before, or nobody takes it any more.
    func flush() { queue.sync {} }

    private func send() {
        while let messages = take() {
            do {
                var bytes: [UInt8] = []
                for message in messages { bytes += try WireForm.frame(message) }
                try write(bytes)
            } catch {
                // The other end is gone, or will be: its reader notices and says so.
                socket.end()
                condition.withLock { isBroken = true }
            }
        }
    }

    /// What is pending; nil where nothing is, and the sender may rest.
    private func take() -> [Message]? {
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

    private func write(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    socket.number, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw WireError("the other end is gone") }
            sent += count
        }
    }
}

/// A socket that is closed when nobody holds it any more.
///
/// Whoever may still use it holds it: a number that was closed is soon another file's, and orders for one worker would
/// reach the next.
final class OwnedSocket: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Ends both directions: readers and writers return.
    func end() { shutdown(number, Int32(SHUT_RDWR)) }
}

/// Reads frames from a socket to its end, and hands each on, decoded.
enum Inbox {
    /// Returns at the end of the stream; throws where something came that is no message.
    static func read<Message: Decodable>(
        _ type: Message.Type, from descriptor: Int32, _ handle: (Message) throws -> Void
    ) throws {
        var frames = FrameBuffer()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            frames.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
            while let body = try frames.next() { try handle(try WireDecoder.decode(type, from: body)) }
        }
    }
}
