// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on loopback whose every byte is the test's: it keeps no rule of its own.
///
/// Each connection has a thread, which reads a request, keeps it, and lets the handler answer with whatever bytes,
/// pauses and breaks it likes. Without an explicit end the connection stays open for the next request.
public final class HostileServer: Sendable {
    /// Answers one request.
    public typealias Handler = @Sendable (HostileRequest, HostileConnection) -> Void

    private struct State: Sendable {
        var requests: [HostileRequest] = []
        var descriptors: Set<Int32> = []
        var isStopped = false
        var connections = 0
    }
    /// The port it listens on.
    public let port: UInt16
    private let host: String
    private let listener: Int32
    private let handler: Handler
    private let state = Mutex(State())

    /// Listens on a free port of 127.0.0.1, or of ::1, and answers until `stop`.
    public init(usesIPv6: Bool = false, handler: @escaping Handler) throws {
        let family = usesIPv6 ? AF_INET6 : AF_INET
        listener = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        host = usesIPv6 ? "[::1]" : "127.0.0.1"
        // Both kinds of address have their port at the same place.
        var address = sockaddr_in6()
        var length = socklen_t(usesIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        let (descriptor, size) = (listener, length)
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            pointer.pointee.sa_family = sa_family_t(family)
            inet_pton(family, usesIPv6 ? "::1" : "127.0.0.1", bytes.baseAddress?.advanced(by: usesIPv6 ? 8 : 4))
            return bind(descriptor, pointer, size) == 0 && listen(descriptor, 512) == 0
                && getsockname(descriptor, pointer, &length) == 0
        }
        guard isListening else {
            let code = errno
            close(listener)
            throw HostileServerError(code: code)
        }
        port = UInt16(bigEndian: address.sin6_port)
        self.handler = handler
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// `http://`, the address, the port and the path.
    public func url(_ path: String) -> String { "http://\(host):\(port)\(path)" }

    /// The requests so far, in the order they came.
    public var requests: [HostileRequest] { state.withLock { $0.requests } }

    /// How many connections were made.
    public var connectionCount: Int { state.withLock { $0.connections } }

    /// Breaks all connections and answers no more.
    public func stop() {
        state.withLock { state in
            guard !state.isStopped else { return }
            state.isStopped = true
            shutdown(listener, Int32(SHUT_RDWR))
            for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Whether this machine has the address ::1.
    public static let canUseIPv6: Bool = {
        guard let server = try? HostileServer(usesIPv6: true, handler: { _, _ in }) else { return false }
        server.stop()
        return true
    }()

    private func acceptConnections() {
        defer { close(listener) }
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let number = state.withLock { state -> Int? in
                guard !state.isStopped else { return nil }
                state.descriptors.insert(descriptor)
                state.connections += 1
                return state.connections
            }
            guard let number else {
                close(descriptor)
                return
            }
            Thread.detachNewThread { [self] in serve(descriptor, number) }
        }
    }

    private func serve(_ descriptor: Int32, _ number: Int) {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let connection = HostileConnection(descriptor: descriptor)
        while !connection.isOver, let request = connection.readRequest(number: number) {
            state.withLock { $0.requests.append(request) }
            handler(request, connection)
        }
        // Under the lock, so that `stop` never touches a number that was given to another file.
        state.withLock { state in
            state.descriptors.remove(descriptor)
            close(descriptor)
        }
    }
}

/// Why the server could not be started.
public struct HostileServerError: Error {
    /// The error number.
    public var code: Int32
}
