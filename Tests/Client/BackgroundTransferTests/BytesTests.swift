// SPDX-License-Identifier: Apache-2.0
import Foundation
import HostileServer
import Testing
import TransferModel

@testable import BackgroundTransfer

/// Tests of response bodies as sequences of bytes.
extension URLSessionTests {
    private func server(_ bytes: [UInt8]) throws -> HostileServer {
        try HostileServer(handler: ServedFile(bytes: bytes).serve)
    }

    @Test("a session without an identifier returns a body of any size byte by byte and line by line")
    func bytes() async throws {
        // More than the loader buffers for a slow reader.
        let content = ServedFile.content(3_000_000)
        let server = try server(content)
        defer { server.stop() }
        let session = URLSession(configuration: .ephemeral, delegate: nil, delegateQueue: nil)
        let (bytes, response) = try await session.bytes(from: try #require(URL(string: server.url("/f"))))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var count = 0
        var isRight = true
        for try await byte in bytes {
            isRight = isRight && byte == content[count]
            count += 1
        }
        #expect(isRight && count == content.count)
        session.invalidateAndCancel()
    }

    @Test("lines end with LF or CR LF, and the last line ends with the body")
    func lines() async throws {
        let server = try server(Array("one\r\n\ntwo ä".utf8))
        defer { server.stop() }
        let (bytes, _) = try await URLSession.shared.bytes(from: try #require(URL(string: server.url("/f"))))
        var lines: [String] = []
        for try await line in bytes.lines { lines.append(line) }
        #expect(lines == ["one", "", "two ä"])
    }

    @Test("T1: a background session refuses to return a body, and an unreachable server causes an error")
    func bytesRefused() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let session = session()
        await #expect(throws: SessionError.self) { try await session.bytes(from: url) }
        await #expect(throws: URLError.self) { try await URLSession.shared.bytes(from: url) }
        session.invalidateAndCancel()
    }
}
