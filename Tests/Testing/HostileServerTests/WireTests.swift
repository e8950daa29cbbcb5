// SPDX-License-Identifier: Apache-2.0
import HostileServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WireTests {
    private static let request = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let empty = "HTTP/1.1 204 No Content\r\n\r\n"

    private func server(
        _ change: (inout HostileServerOptions) -> Void = { _ in }, greeting: HostileServer.Greeting? = nil,
        handler: @escaping HostileServer.Handler = { _, connection in connection.send(empty) }
    ) throws -> HostileServer {
        var options = HostileServerOptions()
        change(&options)
        return try HostileServer(options: options, greeting: greeting, handler: handler)
    }

    private func handling(_ handler: @escaping HostileServer.Handler) throws -> HostileServer {
        try server(handler: handler)
    }

    @Test("bytes are sent unchanged, and requests are recorded in order with their connection")
    func plain() throws {
        let server = try server()
        defer { server.stop() }
        for _ in 0..<2 {
            let client = try #require(RawClient(port: server.port))
            for _ in 0..<2 {
                client.send(Self.request)
                #expect(client.receive(Self.empty.utf8.count) == Self.empty)
            }
        }
        #expect(server.requests.map(\.connection) == [1, 1, 2, 2])
        #expect(server.connectionCount == 2)
    }

    @Test("a head that arrives in pieces is one head")
    func pieces() throws {
        let server = try server()
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.send(String(Self.request.dropLast()))
        // The head is split within the empty line, because "\r\n" is a single Character.
        for byte in ["\r", "\n"] {
            client.pause()
            client.send(byte)
        }
        #expect(client.receive(Self.empty.utf8.count) == Self.empty)
        #expect(server.requests.map { $0.value("host") } == ["h"])
    }

    @Test("a greeting is sent before any request, and may end the connection")
    func greeting() throws {
        let server = try server(greeting: { number, connection in
            connection.send("\(number)")
            if number == 2 { connection.reset() }
        })
        defer { server.stop() }
        let first = try #require(RawClient(port: server.port))
        #expect(first.receive(1) == "1")
        let second = try #require(RawClient(port: server.port))
        #expect(second.receiveAll().end == .reset)
        #expect(server.requests.isEmpty)
    }

    @Test("a server that has closed its sending side still receives")
    func halfClosed() throws {
        let server = try handling { request, connection in
            guard request.target == "/a" else { return }
            connection.send(Self.empty)
            connection.finishSending()
        }
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.send(Self.request)
        #expect(client.receiveAll() == (Self.empty, .inOrder))
        client.send("GET /b HTTP/1.1\r\n\r\n")
        client.finishSending()
        for _ in 0..<500 where server.requests.count < 2 { client.pause() }
        #expect(server.requests.map(\.target) == ["/a", "/b"])
    }

    @Test("a client that has closed its sending side still receives a response")
    func halfClosedByClient() throws {
        let server = try server()
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.send(Self.request)
        client.finishSending()
        #expect(client.receiveAll() == (Self.empty, .inOrder))
    }

    @Test("connections that are not accepted wait; beyond the backlog, they get no response")
    func backlog() throws {
        let server = try server { ($0.backlog, $0.isAdmitting) = (0, false) }
        defer { server.stop() }
        let first = try #require(RawClient(port: server.port, milliseconds: 300))
        first.send(Self.request)
        #expect(first.receive(1) == "")
        var others: [RawClient] = []
        while others.count < 10, let client = RawClient(port: server.port, milliseconds: 300) { others.append(client) }
        #expect(others.count < 10)
        #expect(server.connectionCount == 0)
        server.admit()
        #expect(isSoon { first.receive(Self.empty.utf8.count) == Self.empty })
    }

    @Test("connections above a limit are closed")
    func limitCloses() throws {
        let server = try server { $0.limit = .closing(above: 1) }
        defer { server.stop() }
        let first = try #require(RawClient(port: server.port))
        first.send(Self.request)
        #expect(first.receive(Self.empty.utf8.count) == Self.empty)
        let second = try #require(RawClient(port: server.port))
        #expect(second.receiveAll().text == "")
        #expect(server.connectionCount == 1)
    }

    @Test("connections above a limit wait until an earlier connection ends")
    func limitWaits() throws {
        let server = try server { $0.limit = .waiting(above: 1) }
        defer { server.stop() }
        var first = RawClient(port: server.port)
        first?.send(Self.request)
        #expect(first?.receive(Self.empty.utf8.count) == Self.empty)
        let second = try #require(RawClient(port: server.port, milliseconds: 300))
        second.send(Self.request)
        #expect(second.receive(1) == "")
        first = nil
        #expect(isSoon { second.receive(Self.empty.utf8.count) == Self.empty })
    }

    @Test("a full backlog gives no response")
    func full() throws {
        let server = try server { ($0.backlog, $0.isAdmitting) = (1, false) }
        defer { server.stop() }
        server.fillBacklog()
        #expect(RawClient(port: server.port, milliseconds: 300) == nil)
        #expect(server.connectionCount == 0)
    }
}
