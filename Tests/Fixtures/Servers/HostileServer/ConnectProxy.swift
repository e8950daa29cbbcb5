// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// A proxy that tunnels CONNECT requests to ports of this machine (RFC 9110 §9.3.6).
public final class ConnectProxy: Sendable {
    private let authorization: String?
    private let counted = Mutex((tunnels: 0, refusals: 0))

    /// Creates a proxy. If a user is given, the proxy requires Basic authentication.
    public init(user: String? = nil, password: String = "") {
        authorization = user.map { "Basic " + Data("\($0):\(password)".utf8).base64EncodedString() }
    }

    /// The number of tunnels opened.
    public var tunnels: Int { counted.withLock { $0.tunnels } }
    /// The number of requests refused because of missing or wrong credentials.
    public var refusals: Int { counted.withLock { $0.refusals } }

    /// Responds to a request. After CONNECT, the connection carries the tunnel until one of its ends closes.
    public func serve(_ request: HostileRequest, _ connection: HostileConnection) {
        if let authorization, request.value("Proxy-Authorization") != authorization {
            counted.withLock { $0.refusals += 1 }
            connection.respond("407 Proxy Authentication Required", ["Proxy-Authenticate: Basic realm=\"proxy\""])
            return
        }
        guard request.method == "CONNECT", let port = request.target.split(separator: ":").last.flatMap({ UInt16($0) }),
            let server = LoopbackSocket.connected(to: port)
        else {
            connection.respond("502 Bad Gateway", ["Connection: close"])
            return connection.finish()
        }
        counted.withLock { $0.tunnels += 1 }
        connection.send("HTTP/1.1 200 Connection established\r\n\r\n")
        carry(connection, server)
    }

    private func carry(_ connection: HostileConnection, _ server: LoopbackSocket) {
        // Sending is safe from any thread. Only the received bytes belong to the connection's own thread.
        nonisolated(unsafe) let client = connection
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var bytes: [UInt8]
            repeat { bytes = server.receive() } while !bytes.isEmpty && client.send(bytes)
            client.finishSending()
            isDone.signal()
        }
        repeat {
            let bytes = connection.pending
            connection.pending = []
            _ = server.send(bytes)
        } while connection.receive()
        server.finish()
        isDone.wait()
        connection.waitForClient()
    }
}
