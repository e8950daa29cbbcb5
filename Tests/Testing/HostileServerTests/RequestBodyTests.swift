// SPDX-License-Identifier: Apache-2.0
import HostileServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestBodyTests {
    /// Returns the bodies that a handler received from two requests on a single connection.
    private func bodies(_ requests: String) throws -> [String?] {
        let bodies = Mutex<[String?]>([])
        let server = try HostileServer { request, connection in
            let body = connection.readBody(of: request).map { String(decoding: $0, as: UTF8.self) }
            bodies.withLock { $0.append(body) }
            connection.respond("201 Created")
        }
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.send(requests)
        client.finishSending()
        _ = client.receiveAll()
        return bodies.withLock { $0 }
    }

    @Test("a body is read by its length, and the next request follows")
    func length() throws {
        let one = "PUT /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try bodies(one + "POST /b HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc") == ["hello", "abc"])
    }

    @Test("a chunked body is read without its framing and trailers")
    func chunked() throws {
        let one =
            "PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nX: 1\r\n\r\n"
        #expect(try bodies(one + "GET /b HTTP/1.1\r\n\r\n") == ["abc0123456789", ""])
    }

    @Test(
        "an incomplete body is refused",
        arguments: [
            "Content-Length: 9\r\n\r\nshort", "Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
            "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc", "Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n",
        ])
    func cut(rest: String) throws {
        #expect(try bodies("PUT /a HTTP/1.1\r\n" + rest).first == .some(nil))
    }

    @Test("a handler may read a part of the body")
    func part() throws {
        let got = Mutex("")
        let server = try HostileServer { _, connection in
            let bytes = connection.readBytes(3)
            got.withLock { $0 = String(decoding: bytes, as: UTF8.self) }
            connection.reset()
        }
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        client.send("PUT /a HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello")
        #expect(client.receiveAll().end == .reset)
        #expect(got.withLock { $0 } == "hel")
    }
}
