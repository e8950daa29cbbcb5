// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// One connection, used on its own thread only.
public final class HostileConnection {
    private let descriptor: Int32
    /// What came and was not read yet.
    var pending: [UInt8] = []
    /// Whether there will be no further request.
    public private(set) var isOver = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Sends the bytes; false when the client is gone.
    @discardableResult
    public func send(_ bytes: some Sequence<UInt8>) -> Bool {
        let data = Array(bytes)
        var sent = 0
        while sent < data.count {
            let count = data.withUnsafeBytes { buffer -> Int in
                guard let base = buffer.baseAddress else { return 0 }
                return Glibc.send(descriptor, base + sent, data.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isOver = true
                return false
            }
            sent += count
        }
        return true
    }

    /// Sends the text; `\n` is sent as it is, so write `\r\n`.
    @discardableResult
    public func send(_ text: String) -> Bool { send(text.utf8) }

    /// A head with those lines, and a body.
    @discardableResult
    public func answer(_ status: String, _ fields: [String] = [], body: some Sequence<UInt8> = [UInt8]()) -> Bool {
        let body = Array(body)
        let hasLength = fields.contains {
            $0.lowercased().hasPrefix("content-length:") || $0.lowercased().hasPrefix("transfer-encoding:")
        }
        let length = hasLength ? [] : ["Content-Length: \(body.count)"]
        let head = (["HTTP/1.1 \(status)"] + fields + length).joined(separator: "\r\n") + "\r\n\r\n"
        return send(head) && send(body)
    }

    /// One chunk of a chunked body.
    @discardableResult
    public func sendChunk(_ bytes: some Sequence<UInt8>) -> Bool {
        let data = Array(bytes)
        return send(String(data.count, radix: 16) + "\r\n") && send(data) && send("\r\n")
    }

    /// Ends the connection in order (FIN).
    public func finish() {
        isOver = true
        shutdown(descriptor, Int32(SHUT_WR))
        waitForClient()
    }

    /// Breaks the connection (RST).
    public func reset() {
        isOver = true
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Says nothing until the client goes away or the server is stopped.
    public func waitForClient() {
        isOver = true
        var buffer = [UInt8](repeating: 0, count: 4096)
        while recv(descriptor, &buffer, buffer.count, 0) > 0 {}
    }

    /// Pauses between two bytes.
    public func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

    func readRequest(number: Int) -> HostileRequest? {
        while true {
            if let end = headEnd() {
                let head = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeFirst(end + 4)
                return HostileRequest(head: head, connection: number)
            }
            guard receive() else { return nil }
        }
    }

    /// Waits for more bytes and adds them to `pending`; false when there will be none.
    func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            pending += buffer[..<count]
            return true
        }
    }

    private func headEnd() -> Int? {
        guard pending.count >= 4 else { return nil }
        return (0...(pending.count - 4)).first { Array(pending[$0..<($0 + 4)]) == [13, 10, 13, 10] }
    }
}
