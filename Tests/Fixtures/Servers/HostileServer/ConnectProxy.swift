// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
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
            let server = Self.connect(to: port)
        else {
            connection.respond("502 Bad Gateway", ["Connection: close"])
            return connection.finish()
        }
        counted.withLock { $0.tunnels += 1 }
        connection.send("HTTP/1.1 200 Connection established\r\n\r\n")
        carry(connection, server)
    }

    private func carry(_ connection: HostileConnection, _ server: Int32) {
        // Sending is safe from any thread. Only the received bytes belong to the connection's own thread.
        nonisolated(unsafe) let client = connection
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = recv(server, &bytes, bytes.count, 0)
                guard count > 0, client.send(bytes[..<count]) else { break }
            }
            client.finishSending()
            isDone.signal()
        }
        repeat {
            var sent = 0
            let bytes = connection.pending
            connection.pending = []
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    send(server, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { break }
                sent += count
            }
        } while connection.receive()
        shutdown(server, Int32(SHUT_RDWR))
        isDone.wait()
        Glibc.close(server)
        connection.waitForClient()
    }

    /// Connects to a port of this machine. Returns `nil` if nothing listens on the port.
    private static func connect(to port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            Glibc.close(descriptor)
            return nil
        }
        return descriptor
    }
}
