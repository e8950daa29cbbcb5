// SPDX-License-Identifier: Apache-2.0
import Foundation
import ProcessFixtures

/// A TCP connection to a port of this machine, for requests that no well-behaved client would send.
final class LoopbackSocket {
    private let descriptor: Int32

    /// Connects to a port.
    init(port: Int) async throws {
        let kind = [SOCK_STREAM, SOCK_CLOEXEC, SOCK_NONBLOCK].reduce(0) { $0 | Int32($1.rawValue) }
        descriptor = socket(AF_INET, kind, 0)
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        if Self.withAddress(port: port, { connect(descriptor, $0, $1) }) != 0 { code = errno }
        if code == EINPROGRESS, try await isReady(descriptor, for: Int32(POLLOUT), within: 30) {
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
        }
        guard code == 0 else { throw FixtureError("cannot connect: \(String(cString: strerror(code)))") }
    }

    deinit { close(descriptor) }

    /// Returns a port on which nothing listens now.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        guard withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else { throw FixtureError("no port") }
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

    /// Sends bytes. Returns whether all of them were taken; each pause of the other side may last some seconds.
    @discardableResult
    func send(_ bytes: [UInt8], within seconds: Double = 30) async throws -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else {
                guard errno == EAGAIN, try await isReady(descriptor, for: Int32(POLLOUT), within: seconds) else {
                    return false
                }
            }
        }
        return true
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool { try await send(Array(text.utf8)) }

    /// Sends bytes again and again. Returns whether the other side stops taking them.
    func isRefused(_ bytes: [UInt8], times: Int) async throws -> Bool {
        for _ in 0..<times {
            guard try await send(bytes) else { return true }
        }
        return false
    }

    /// Returns the next bytes, or `nil` at the end of the connection or after half a minute.
    func receive() async throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        guard try await isReady(descriptor, within: 30) else { return nil }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Returns whether the other side has ended the connection, and waits for it.
    func isEnded(within seconds: Double) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while try await isReady(descriptor, within: (end - ContinuousClock.now) / .seconds(1)) {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || count < 0 && errno != EAGAIN { return true }
        }
        return false
    }

    /// Returns all bytes until the end of the connection.
    func receiveAll() async throws -> String {
        var bytes: [UInt8] = []
        while let next = try await receive() { bytes += next }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a POST request, and returns the body of the answer.
    func request(_ body: String, headers: [String] = ["Host: localhost"]) async throws -> String {
        let answer = try await exchange("POST /jsonrpc HTTP/1.1", body, headers)
        guard let range = answer.range(of: "\r\n\r\n") else { throw FixtureError("no answer: \(answer)") }
        return String(answer[range.upperBound...])
    }

    /// Sends a request, and returns the whole answer.
    func exchange(_ line: String, _ body: String = "", _ headers: [String]) async throws -> String {
        let head = [line] + headers + ["Connection: close", "Content-Length: \(body.utf8.count)"]
        try await send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try await receiveAll()
    }
}

/// A WebSocket over ``LoopbackSocket`` (RFC 6455).
final class WebSocketClient {
    let socket: LoopbackSocket
    private var buffer: [UInt8] = []

    /// Opens a WebSocket. Fails if the server refuses.
    init(port: Int, path: String = "/jsonrpc", origin: String? = nil) async throws {
        socket = try await LoopbackSocket(port: port)
        var lines = [
            "GET \(path) HTTP/1.1", "Host: localhost:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
        ]
        if let origin { lines.append("Origin: \(origin)") }
        try await socket.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        while !buffer.contains(sequence: Array("\r\n\r\n".utf8)), let bytes = try await socket.receive() {
            buffer += bytes
        }
        let head = String(decoding: buffer, as: UTF8.self)
        guard head.hasPrefix("HTTP/1.1 101"), let end = head.range(of: "\r\n\r\n") else {
            throw FixtureError("refused: \(head)")
        }
        buffer.removeFirst(head[..<end.upperBound].utf8.count)
    }

    /// Sends a text in one frame.
    @discardableResult
    func send(_ text: String, within seconds: Double = 30) async throws -> Bool {
        try await socket.send(Self.frame(Array(text.utf8)), within: seconds)
    }

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
    func next() async throws -> String? {
        while true {
            if let (text, length) = parsed() {
                buffer.removeFirst(length)
                return text
            }
            guard let bytes = try await socket.receive() else { return nil }
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
