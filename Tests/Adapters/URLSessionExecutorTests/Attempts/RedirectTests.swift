// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
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

        @Test("redirects are followed, credentials stay at home", arguments: [true, false])
        func redirects(repaired: Bool) async throws {
            let other = try HostileServer(handler: Self.small.serve)
            defer { other.stop() }
            let elsewhere = other.url("/there/f")
            try await Bench.run(
                repaired: repaired,
                handler: { request, connection in
                    switch request.target {
                    case "/a/f": connection.answer("302 Found", ["Location: g"], body: Array("moved".utf8))
                    case "/a/g": connection.answer("307 Temporary Redirect", ["location: /h?x=1"])
                    default:
                        connection.answer(
                            "308 Permanent Redirect", ["Location: \(elsewhere)"],
                            body: [UInt8](repeating: 1, count: 50_000))
                    }
                }
            ) { bench, server in
                var specification = bench.specification(server.url("/a/f"), name: nil)
                specification.headers = [HeaderField(name: "Authorization", value: "Bearer s")]
                let outcome = await bench.run(specification).0
                #expect(bench.contents(outcome) == Self.small.bytes)
                #expect(server.requests.map(\.target) == ["/a/f", "/a/g", "/h?x=1"])
                #expect(server.requests.allSatisfy { $0.value("Authorization") == "Bearer s" })
                #expect(other.requests.map { $0.value("Authorization") } == [nil])
                #expect(outcome.completion?.file?.path.hasSuffix("/f") == true)
            }
        }

        @Test(
            "redirects that lead nowhere fail",
            arguments: ["/f", "file:///etc/passwd", "ftp://127.0.0.1/f", "mailto:a@b", "//[::1", "http://"],
            [true, false])
        func badRedirects(location: String, repaired: Bool) async throws {
            // Without the repair, FoundationNetworking ends the process if it cannot resolve a redirect.
            if !repaired, location.hasPrefix("//[") || location == "http://" || location.hasPrefix("mailto") { return }
            try await Bench.run(
                repaired: repaired,
                handler: { _, connection in
                    connection.answer("302 Found", ["Location: \(location)"])
                }
            ) { bench, server in
                let outcome = await bench.fetch(server.url("/f"))
                #expect(outcome.failure?.cause == .redirect || outcome.failure?.cause == .unsupportedURL, "\(outcome)")
            }
        }

        @Test("a redirect whose body never ends does not fill the memory")
        func endlessRedirect() async throws {
            try await Bench.run(handler: { _, connection in
                connection.send("HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n")
                while connection.send([UInt8](repeating: 0, count: 65536)) {}
            }) { bench, server in
                #expect(await bench.fetch(server.url("/f")).failure != nil)
            }
        }
    }
}
