// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import Synchronization
import TransferTesting

/// The HTTP server for checks of the rules. It listens on a free loopback port and uses a thread for each connection.
///
/// The server uses only the C library, so that users of this module do not depend on the packages of a server.
package final class ConformanceServer: Sendable {
    private struct Content {
        var paths: [ServedResponse: String] = [:]
        var responses: [String: ServedResponse] = [:]
        /// The number of requests for each target.
        var counts: [String: Int] = [:]
        var requests: [ServedRequest] = []
        var connections: Set<Int32> = []
        /// The connections whose transfer stalls. `nil` after the end of all stalls.
        var stalled: Set<Int32>? = []
        var isStopped = false
    }

    private let listener: Int32
    private let port: UInt16
    private let content = Mutex(Content())

    /// Creates a server that accepts connections from now on.
    ///
    /// - Throws: `ContractFailure` if there is no free port.
    package init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard listens else {
            let why = String(cString: strerror(errno))
            close(listener)
            throw ContractFailure("cannot listen on 127.0.0.1: \(why)")
        }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in acceptConnections() }
    }

    /// Returns the URL at which the server sends a response.
    package func address(_ response: ServedResponse) -> String {
        let path = content.withLock { content in
            if let path = content.paths[response] { return path }
            let path = "/\("\(response)".prefix { $0 != "(" })-\(content.paths.count)"
            content.paths[response] = path
            content.responses[path] = response
            return path
        }
        return "http://127.0.0.1:\(port)\(path)"
    }

    /// Returns the requests for a URL, in order of arrival.
    package func requests(for address: String) -> [ServedRequest] {
        let target = address.split(separator: ":\(port)", maxSplits: 1).last.map(String.init)
        return content.withLock(\.requests).filter { $0.target == target }
    }

    /// Sends the remaining bytes of all stalled transfers. Later transfers do not stall.
    package func endStalls() {
        content.withLock { content in
            // The threads wait for the end of their connections.
            for connection in content.stalled ?? [] { shutdown(connection, Int32(SHUT_RD)) }
            content.stalled = nil
        }
    }

    /// Stops the server and closes all connections.
    package func stop() {
        content.withLock { content in
            content.isStopped = true
            for connection in content.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: Threads

    private func acceptConnections() {
        while !content.withLock(\.isStopped) {
            let connection = accept(listener, nil, nil)
            // Interrupted, or out of descriptors. The server continues after a short pause.
            guard connection >= 0 else {
                usleep(1000)
                continue
            }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            let isAccepted = content.withLock { content in
                if !content.isStopped { content.connections.insert(connection) }
                return !content.isStopped
            }
            if isAccepted { Thread.detachNewThread { [self] in serve(connection) } } else { close(connection) }
        }
        close(listener)
    }

    private func serve(_ number: Int32) {
        let connection = ConformanceConnection(number)
        while let request = connection.readRequest() {
            let (response, count) = record(request)
            let stalls = { self.content.withLock { $0.stalled?.insert(number) != nil } }
            guard connection.respond(response, time: count, to: request, stalls: stalls) else { break }
        }
        content.withLock { content in
            content.connections.remove(number)
            content.stalled?.remove(number)
            // A child process that was started when the connection arrived may share it.
            shutdown(number, Int32(SHUT_RDWR))
            // Closed under the lock, because the number may be reused afterwards.
            _ = close(number)
        }
    }

    /// Records a request.
    ///
    /// - Returns: The response, and the number of requests for the target so far, including this request.
    private func record(_ request: ServedRequest) -> (ServedResponse?, Int) {
        content.withLock { content in
            content.requests.append(request)
            let response = content.responses[String(request.target.prefix { $0 != "?" })]
            if case .stalling(let size, let at, _) = response, request.range?.last ?? size <= at {
                // A probe of the file that ends before the stall does not count.
                return (response, .max)
            }
            content.counts[request.target, default: 0] += 1
            return (response, content.counts[request.target] ?? 0)
        }
    }
}
