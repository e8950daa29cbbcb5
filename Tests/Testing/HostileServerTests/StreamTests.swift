// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import Synchronization
import Testing

/// The behavior that is the same in plain text and over TLS, apart from the end of a connection.
@Suite(.timeLimit(.minutes(5)))
struct StreamTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    /// A text that is larger than the kernel's buffers of both ends together. Its blocks have no length of a buffer.
    private static let long = String(
        repeating: String(decoding: ServedFile.content(65521).map { $0 & 63 + 48 }, as: UTF8.self), count: 256)

    /// A way to end a connection.
    enum Way: CaseIterable { case finish, cut, reset }

    @Test(
        "a connection ends in order, is cut, or is reset, as the handler decides", arguments: Way.allCases,
        [false, true])
    func ends(way: Way, isSecure: Bool) throws {
        let server = try HostileServer(isSecure: isSecure) { _, connection in
            connection.send("x")
            switch way {
            case .finish: connection.finish()
            case .cut: connection.cut()
            case .reset: connection.reset()
            }
        }
        defer { server.stop() }
        let client = try server.connect(isSecure: isSecure)
        client.send(Self.request)
        let (text, end) = client.receiveAll()
        switch way {
        case .finish: #expect((text, end) == ("x", .inOrder))
        case .cut: #expect((text, end) == ("x", isSecure ? .cut : .inOrder))
        // The client's kernel may discard bytes that the client has not received yet.
        case .reset: #expect(end == .reset)
        }
    }

    @Test("a handler that does not read blocks the client", arguments: [false, true])
    func held(isSecure: Bool) throws {
        let stays = Mutex(true)
        let server = try HostileServer(isSecure: isSecure) { _, connection in
            while stays.withLock({ $0 }) { connection.pause(milliseconds: 5) }
        }
        defer { server.stop() }
        let client = try server.connect(isSecure: isSecure, milliseconds: 300)
        client.send(Self.request)
        #expect(!client.send(Self.long))
        stays.withLock { $0 = false }
    }

    @Test(
        "a thread sends while the connection's own thread receives, even if the client does not read",
        arguments: [false, true])
    func bothDirections(isSecure: Bool) throws {
        let sent = Mutex<Bool?>(nil)
        let received = Mutex<[UInt8]?>(nil)
        let server = try HostileServer(isSecure: isSecure) { request, connection in
            nonisolated(unsafe) let client = connection
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let isSent = client.send(Self.long)
                client.finishSending()
                sent.withLock { $0 = isSent }
                isDone.signal()
            }
            let body = connection.readBody(of: request)
            received.withLock { $0 = body }
            isDone.wait()
        }
        defer { server.stop() }
        let client = try server.connect(isSecure: isSecure)
        #expect(client.send("PUT /a HTTP/1.1\r\nContent-Length: \(Self.long.utf8.count)\r\n\r\n" + Self.long))
        #expect(isSoon { received.withLock { $0 != nil } })
        #expect(sent.withLock { $0 } == nil)
        let (text, end) = client.receiveAll()
        // The texts are too long for a message.
        let isReceived = text == Self.long
        #expect(isReceived)
        #expect(end == .inOrder)
        #expect(isSoon { sent.withLock { $0 } == true })
        let isUploaded = received.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } == Self.long
        #expect(isUploaded)
    }

    /// A call that waits for the client, or for other things.
    enum Wait: CaseIterable { case receiving, sending, pausing }

    @Test(
        "a stopped server resets a connection, whatever its handler waits for", arguments: Wait.allCases, [false, true])
    func stopped(wait: Wait, isSecure: Bool) throws {
        let stays = Mutex(true)
        let hasEnded = Mutex(false)
        let server = try HostileServer(isSecure: isSecure) { _, connection in
            switch wait {
            case .receiving: connection.waitForClient()
            case .sending: while connection.send(Self.long) {}
            case .pausing: while stays.withLock({ $0 }) { connection.pause(milliseconds: 5) }
            }
            hasEnded.withLock { $0 = true }
        }
        let client = try server.connect(isSecure: isSecure)
        client.send(Self.request)
        #expect(isSoon { !server.requests.isEmpty })
        // Gives the handler time to fill the buffers of the kernel.
        usleep(200_000)
        #expect(!hasEnded.withLock { $0 })
        server.stop()
        #expect(client.receiveAll().end == .reset)
        if wait == .pausing {
            #expect(!hasEnded.withLock { $0 })
            stays.withLock { $0 = false }
        }
        #expect(isSoon { hasEnded.withLock { $0 } })
        #expect(RawClient(port: server.port) == nil)
    }

    @Test("a stopped server resets connections in their handshake, and waiting connections")
    func stoppedEarly() throws {
        var options = HostileServerOptions()
        options.certificate = try HostileAuthority().certificate()
        options.limit = .waiting(above: 1)
        let server = try HostileServer(options: options) { _, _ in }
        let clients = try (0..<2).map { _ in try #require(RawClient(port: server.port)) }
        #expect(isSoon { server.connectionCount == 1 })
        server.stop()
        #expect(clients.map { $0.receiveAll().end } == [.reset, .reset])
    }
}
