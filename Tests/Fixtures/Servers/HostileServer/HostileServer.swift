// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// An HTTP/1.1 server on loopback in which the test controls every byte. The server enforces no HTTP rules itself.
///
/// Each connection has its own thread, which reads and records a request and then runs the handler. The handler
/// responds with arbitrary bytes, pauses, and breaks. The connection stays open for the next request unless the
/// handler ends it. No HTTP codec stands between the test and the wire.
public final class HostileServer: Sendable {
    /// A closure that responds to one request.
    public typealias Handler = @Sendable (HostileRequest, HostileConnection) -> Void
    /// A closure that runs on a connection before its first request is read, and after its TLS handshake.
    public typealias Greeting = @Sendable (_ number: Int, HostileConnection) -> Void

    /// The port that the server listens on.
    public let port: UInt16
    private let options: HostileServerOptions
    private let work: ConnectionWork

    /// Starts a server on a free port of 127.0.0.1 or ::1. The server runs until `stop`.
    public convenience init(usesIPv6: Bool = false, handler: @escaping Handler) throws {
        var options = HostileServerOptions()
        options.usesIPv6 = usesIPv6
        try self.init(options: options, handler: handler)
    }

    /// Starts a server on a free port. The server runs until `stop`.
    public init(options: HostileServerOptions, greeting: Greeting? = nil, handler: @escaping Handler) throws {
        self.options = options
        work = try ConnectionWork(options: options, greeting: greeting, handler: handler)
        port = work.listener.port
    }

    /// Returns the URL of a path on this server, with `http://` or `https://`.
    public func url(_ path: String) -> String {
        let host = options.usesIPv6 ? "[::1]" : "127.0.0.1"
        return "\(options.certificate == nil ? "http" : "https")://\(host):\(port)\(path)"
    }

    /// The requests so far, in the order of their arrival.
    public var requests: [HostileRequest] { work.state.withLock { $0.requests } }

    /// Discards the recorded requests, to bound the memory of long runs.
    public func discardRequests() { work.state.withLock { $0.requests = [] } }

    /// Starts to accept connections if the options disabled acceptance.
    public func admit() { work.admit() }

    /// Opens connections until the kernel accepts no more, so that later clients get no response.
    ///
    /// Use this method only while the server does not accept connections. It opens as many connections as the backlog
    /// holds. The last attempt times out after 0.2 s.
    public func fillBacklog() {
        while let client = LoopbackSocket.connected(to: port, on: options.host, milliseconds: 200) {
            work.state.withLock { $0.fillers.append(client) }
        }
    }

    /// Resets all connections and stops listening.
    public func stop() { work.stop() }

    /// A Boolean value that indicates whether this machine has the address ::1.
    public static let canUseIPv6: Bool = {
        guard let server = try? HostileServer(usesIPv6: true, handler: { _, _ in }) else { return false }
        server.stop()
        return true
    }()
}
