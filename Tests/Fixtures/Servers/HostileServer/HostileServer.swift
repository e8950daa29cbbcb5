// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// An HTTP/1.1 server on loopback whose every byte is the test's: it keeps no rule of its own.
///
/// Each connection has a thread, which reads a request, keeps it, and lets the handler answer with whatever bytes,
/// pauses and breaks it likes. Without an explicit end the connection stays open for the next request. SwiftNIO carries
/// the bytes, and TLS where a certificate is given; none of its HTTP codecs stands between the test and the wire.
public final class HostileServer: Sendable {
    /// Answers one request.
    public typealias Handler = @Sendable (HostileRequest, HostileConnection) -> Void
    /// Does something to a connection before its first request is read.
    public typealias Greeting = @Sendable (_ number: Int, HostileConnection) -> Void

    /// The port it listens on.
    public let port: UInt16
    private let origin: String
    private let listener: any Channel
    private let work: ConnectionWork

    /// Listens on a free port of 127.0.0.1, or of ::1, and answers until `stop`.
    public convenience init(usesIPv6: Bool = false, handler: @escaping Handler) throws {
        var options = HostileServerOptions()
        options.usesIPv6 = usesIPv6
        try self.init(options: options, handler: handler)
    }

    /// Listens on a free port and answers until `stop`.
    public init(options: HostileServerOptions, greeting: Greeting? = nil, handler: @escaping Handler) throws {
        let tls = try options.certificate.map { try NIOSSLContext(configuration: $0.configuration()) }
        let work = ConnectionWork(greeting: greeting, handler: handler, tls: tls)
        let (isAdmitting, limit) = (options.isAdmitting, options.limit)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: options.backlog)
            // One at a time, so that a limit is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = AdmissionHandler(isAdmitting: isAdmitting, limit: limit)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try work.prepare(channel) }
            }
        listener = try bootstrap.bind(host: options.usesIPv6 ? "::1" : "127.0.0.1", port: 0).wait()
        port = UInt16(listener.localAddress?.port ?? 0)
        let host = options.usesIPv6 ? "[::1]" : "127.0.0.1"
        origin = "\(tls == nil ? "http" : "https")://\(host):\(port)"
        self.work = work
    }

    /// `http://` or `https://`, the address, the port and the path.
    public func url(_ path: String) -> String { origin + path }

    /// The requests so far, in the order they came.
    public var requests: [HostileRequest] { work.state.withLock { $0.requests } }

    /// Forgets the requests so far, for runs that last.
    public func forgetRequests() { work.state.withLock { $0.requests = [] } }

    /// How many connections were taken.
    public var connectionCount: Int { work.state.withLock { $0.connections } }

    /// Begins to take connections, where the options said not to.
    public func admit() {
        listener.triggerUserOutboundEvent(AdmissionHandler.Admit(), promise: nil)
    }

    /// Makes connections of its own until the kernel takes no more of them: those who come next get no answer at all.
    ///
    /// For a server that is not admitting; at most as many as the backlog has room for, and one that waits 0.2 s in vain.
    public func fillBacklog() {
        let client = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.milliseconds(200))
        guard let address = listener.localAddress else { return }
        while let channel = try? client.connect(to: address).wait() {
            work.state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
        }
    }

    /// Breaks all connections and answers no more.
    public func stop() {
        let channels = work.state.withLock { state -> [any Channel] in
            state.isStopped = true
            return Array(state.channels.values)
        }
        try? listener.close().wait()
        for channel in channels {
            channel.triggerUserOutboundEvent(WireEnd.reset, promise: nil)
            channel.close(promise: nil)
        }
    }

    /// Whether this machine has the address ::1.
    public static let canUseIPv6: Bool = {
        guard let server = try? HostileServer(usesIPv6: true, handler: { _, _ in }) else { return false }
        server.stop()
        return true
    }()
}
