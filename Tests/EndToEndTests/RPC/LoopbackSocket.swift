// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A TCP connection to a port of this machine, for requests that no well-behaved client would send.
final class LoopbackSocket {
    private let descriptor: Int32

    /// Connects to a port.
    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result = Self.withAddress(port: port) { connect(descriptor, $0, $1) }
        guard result == 0 else { throw TestSetupError("cannot connect: \(String(cString: strerror(errno)))") }
    }

    deinit { close(descriptor) }

    /// Returns a port on which nothing listens now.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        guard withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else { throw TestSetupError("no port") }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    private static func withAddress<Result>(
        port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    /// Sends bytes. Returns whether all of them were taken.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Returns the next bytes, or `nil` at the end of the connection or after half a minute.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Returns whether the other side has ended the connection, and waits for it.
    func isEnded(within seconds: Double) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        var byte: UInt8 = 0
        while Date() < end {
            let count = recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT))
            if count == 0 || count < 0 && errno != EAGAIN { return true }
            if count < 0 { usleep(50_000) }
        }
        return false
    }

    /// Returns all bytes until the end of the connection.
    func receiveAll() -> String {
        var bytes: [UInt8] = []
        while let next = receive() { bytes += next }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a POST request, and returns the body of the answer.
    func request(_ body: String, headers: [String] = ["Host: localhost"]) throws -> String {
        let answer = try exchange("POST /jsonrpc HTTP/1.1", body, headers)
        guard let range = answer.range(of: "\r\n\r\n") else { throw TestSetupError("no answer: \(answer)") }
        return String(answer[range.upperBound...])
    }

    /// Sends a request, and returns the whole answer.
    func exchange(_ line: String, _ body: String = "", _ headers: [String]) throws -> String {
        let head = [line] + headers + ["Connection: close", "Content-Length: \(body.utf8.count)"]
        send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return receiveAll()
    }
}

/// A WebSocket over ``LoopbackSocket`` (RFC 6455).
final class WebSocketClient {
    let socket: LoopbackSocket
    private var buffer: [UInt8] = []

    /// Opens a WebSocket. Fails if the server refuses.
    init(port: Int, path: String = "/jsonrpc", origin: String? = nil) throws {
        socket = try LoopbackSocket(port: port)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: localhost:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        if let origin { lines.append("Origin: \(origin)") }
        socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        while !buffer.contains(sequence: Array("\r\n\r\n".utf8)), let bytes = socket.receive() { buffer += bytes }
        let head = String(decoding: buffer, as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 101"), let end = head.range(of: "\r\n\r\n") else {
            throw TestSetupError("refused: \(head)")
        }
        buffer.removeFirst(head[..<end.upperBound].utf8.count)
    }

    /// Sends a text in one frame.
    @discardableResult
    func send(_ text: String) -> Bool { socket.send(Self.frame(Array(text.utf8))) }

    /// A masked frame, with the mask 0.
    static func frame(_ payload: [UInt8], opcode: UInt8 = 0x81) -> [UInt8] {
        var frame: [UInt8] = [opcode]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        return frame + [0, 0, 0, 0] + payload
    }

    /// Returns the next text, or `nil` at the end.
    func next() -> String? {
        while true {
            if let (text, length) = parsed() {
                buffer.removeFirst(length)
                return text
            }
            guard let bytes = socket.receive() else { return nil }
            buffer += bytes
        }
    }

    private func parsed() -> (String, Int)? {
        guard buffer.count >= 2 else { return nil }
        var (length, start) = (Int(buffer[1] & 0x7F), 2)
        let more = length == 126 ? 2 : length == 127 ? 8 : 0
        guard buffer.count >= 2 + more else { return nil }
        if more > 0 {
            length = buffer[2..<2 + more].reduce(0) { $0 << 8 | Int($1) }
            start += more
        }
        guard buffer.count >= start + length else { return nil }
        return (String(decoding: buffer[start..<start + length], as: UTF8.self), start + length)
    }
}

extension [UInt8] {
    fileprivate func contains(sequence: [UInt8]) -> Bool { !ranges(of: sequence).isEmpty }
}
