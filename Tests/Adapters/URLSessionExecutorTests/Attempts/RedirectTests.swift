// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct RedirectTests {
        private static let small = ServedFile(bytes: ServedFile.content(1000))

        @Test("Redirects are followed without sending credentials to other origins", arguments: [true, false])
        func redirects(usesInterposer: Bool) async throws {
            let other = try HostileServer(handler: Self.small.serve)
            defer { other.stop() }
            let elsewhere = other.url("/there/f")
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { request, connection in
                    switch request.target {
                    case "/a/f": connection.respond("302 Found", ["Location: g"], body: Array("moved".utf8))
                    case "/a/g": connection.respond("307 Temporary Redirect", ["location: /h?x=1"])
                    default:
                        connection.respond(
                            "308 Permanent Redirect", ["Location: \(elsewhere)"],
                            body: [UInt8](repeating: 1, count: 50_000))
                    }
                }
            ) { fixture, server in
                var specification = fixture.specification(server.url("/a/f"), name: nil)
                specification.headers = [HeaderField(name: "Authorization", value: "Bearer s")]
                let outcome = await fixture.run(specification).0
                #expect(fixture.contents(outcome) == Self.small.bytes)
                #expect(server.requests.map(\.target) == ["/a/f", "/a/g", "/h?x=1"])
                #expect(server.requests.allSatisfy { $0.value("Authorization") == "Bearer s" })
                #expect(other.requests.map { $0.value("Authorization") } == [nil])
                #expect(outcome.completion?.file?.path.hasSuffix("/f") == true)
            }
        }

        @Test(
            "Invalid redirects fail",
            arguments: ["/f", "file:///etc/passwd", "ftp://127.0.0.1/f", "mailto:a@b", "//[::1", "http://"],
            [true, false])
        func badRedirects(location: String, usesInterposer: Bool) async throws {
            // Without the interposer, FoundationNetworking ends the process if it cannot resolve a redirect.
            if !usesInterposer, location.hasPrefix("//[") || location == "http://" || location.hasPrefix("mailto") {
                return
            }
            try await ExecutorFixture.run(
                usesInterposer: usesInterposer,
                handler: { _, connection in
                    connection.respond("302 Found", ["Location: \(location)"])
                }
            ) { fixture, server in
                let outcome = await fixture.fetch(server.url("/f"))
                #expect(outcome.failure?.cause == .redirect || outcome.failure?.cause == .unsupportedURL, "\(outcome)")
            }
        }

        @Test("A redirect whose body never ends does not fill the memory")
        func endlessRedirect() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
                while connection.send([UInt8](repeating: 0, count: 65536)) {}
            }) { fixture, server in
                #expect(await fixture.fetch(server.url("/f")).failure != nil)
            }
        }
    }
}
