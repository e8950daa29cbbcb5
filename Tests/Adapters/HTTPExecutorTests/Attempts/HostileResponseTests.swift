// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct HostileResponseTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test("The body of an error is dropped, or becomes the file on request")
        func errors() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond("404 Not Found", ["Content-Type: text/html"], body: Array("none".utf8))
            }) { fixture, server in
                var specification = fixture.specification(server.url("/f.iso"))
                let plain = await fixture.run(specification).0
                #expect(plain.completion == TransferCompletion(status: 404, file: nil))
                specification.keepsErrorBody = true
                let kept = await fixture.run(specification).0
                #expect(kept.completion?.status == 404)
                #expect(fixture.contents(kept) == Array("none".utf8))
            }
        }

        @Test(
            "A URL with an IPv6 address is downloaded",
            .enabled(if: HostileServer.canUseIPv6, "this machine has no address ::1"))
        func addressOfSix() async throws {
            let six = try HostileServer(usesIPv6: true, handler: Self.small.serve)
            defer { six.stop() }
            let far = six.url("/f")
            try await ExecutorFixture.run(handler: { _, connection in
                connection.respond("302 Found", ["Location: \(far)"])
            }) { fixture, server in
                #expect(fixture.contents(await fixture.fetch(far)) == Self.small.bytes)
                #expect(fixture.contents(await fixture.fetch(server.url("/f"))) == Self.small.bytes)
                #expect(six.requests.first?.value("Host") == "[::1]:\(six.port)")
            }
            try await ExecutorFixture.run(usesCurl: false, handler: Self.small.serve) { fixture, _ in
                let failure = await fixture.fetch(far).failure
                #expect(failure?.cause == .unsupportedURL)
                #expect(failure?.message.contains("IPv6") == true)
            }
        }

        @Test("Messages contain no secrets")
        func secrets() async throws {
            try await ExecutorFixture.run(handler: { request, connection in
                let isKnown = request.value("Authorization") != nil
                connection.respond(isKnown ? "503 No" : "401 No", ["WWW-Authenticate: Basic realm=\"x\""])
            }) { fixture, server in
                let url = server.url("/f?token=secret").replacingOccurrences(of: "http://", with: "http://user:secret@")
                let failure = await fixture.fetch(url).failure
                #expect(failure?.message.contains("secret") == false)
                #expect(failure?.message.contains("127.0.0.1") == true)
                #expect(server.requests.last?.value("Authorization") == "Basic dXNlcjpzZWNyZXQ=")
            }
        }
    }
}
