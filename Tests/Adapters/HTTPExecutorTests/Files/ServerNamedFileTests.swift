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
    struct ServerNamedFileTests {
        private static let body = Array("new".utf8)

        /// Downloads `target` with `--overwrite` to a folder that contains files with the given names.
        ///
        /// Returns the outcome and the contents of the earlier files.
        private func overwrite(
            _ target: String, over names: [String], name: String? = nil,
            collision: Destination.Collision = .overwrite
        ) async throws -> (outcome: ExecutorOutcome, kept: [String]) {
            var result: (ExecutorOutcome, [String])?
            try await ExecutorFixture.run(handler: { request, connection in
                switch request.target {
                case "/named": Self.answer(connection, "attachment; filename=\"mine.txt\"")
                case "/mine.txt": Self.answer(connection, "attachment; filename=\"mine.txt\"")
                case "/moved": connection.respond("302 Found", ["Location: /other/mine.txt"])
                default: Self.answer(connection, nil)
                }
            }) { fixture, server in
                try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
                for name in names {
                    try Data("mine".utf8).write(to: URL(fileURLWithPath: fixture.folder + "/" + name))
                }
                let specification = fixture.specification(server.url(target), name: name, collision: collision)
                let outcome = await fixture.run(specification).0
                if outcome.completion != nil { #expect(fixture.contents(outcome) == Self.body) }
                let kept = names.filter {
                    FileManager.default.contents(atPath: fixture.folder + "/" + $0) == Data("mine".utf8)
                }
                result = (outcome, kept)
            }
            return try #require(result)
        }

        private static func answer(_ connection: HostileConnection, _ disposition: String?) {
            connection.respond("200 OK", disposition.map { ["Content-Disposition: \($0)"] } ?? [], body: body)
        }

        @Test("C8: A name from the server replaces no file", arguments: ["/named", "/moved"])
        func keeps(target: String) async throws {
            let (outcome, kept) = try await overwrite(target, over: ["mine.txt"])
            #expect(outcome.completion?.file.map { Paths.name($0.path) } == "mine (1).txt")
            #expect(kept == ["mine.txt"])
        }

        @Test("C8: A name from the server is used unchanged if it is free")
        func usesFreeName() async throws {
            let (outcome, _) = try await overwrite("/named", over: [])
            #expect(outcome.completion?.file.map { Paths.name($0.path) } == "mine.txt")
        }

        @Test(
            "C8: A name from the user or the URL is replaced, whatever the server sends",
            arguments: [("/mine.txt", nil), ("/plain/mine.txt?x", nil), ("/named", "mine.txt"), ("/moved", "mine.txt")])
        func replaces(target: String, name: String?) async throws {
            let (outcome, kept) = try await overwrite(target, over: ["mine.txt"], name: name)
            #expect(outcome.completion?.file.map { Paths.name($0.path) } == "mine.txt")
            #expect(kept.isEmpty)
        }

        @Test(
            "C8: If files are neither replaced nor numbered, an existing file with the server's name fails the transfer"
        )
        func fails() async throws {
            let (outcome, kept) = try await overwrite("/named", over: ["mine.txt"], collision: .fail)
            #expect(outcome.failure?.cause == .destination)
            #expect(kept == ["mine.txt"])
        }

        @Test(
            "C8: A file arrives whatever bytes its name has on the wire",
            arguments: [
                ("a\u{1B}[2Jb.txt", "a[2Jb.txt"), ("a\u{7}b\u{1F}", "ab"), ("a\u{7F}\u{9B}b", "ab"), ("a\rb", "ab"),
                ("a\tb\u{B}\u{C}", "ab"), ("x\u{202E}txt.exe", "xtxt.exe"), ("a\u{2028}b\u{200B}", "ab"),
                ("-rf", "_-rf"),
            ], [true, false])
        func arrives(name: (sent: String, expected: String), usesCurl: Bool) async throws {
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { _, connection in
                    Self.answer(connection, "attachment; filename=\"\(name.sent)\"")
                }
            ) { fixture, server in
                let outcome = await fixture.run(fixture.specification(server.url("/f"), name: nil)).0
                #expect(outcome.completion?.file.map { Paths.name($0.path) } == name.expected, "\(outcome)")
            }
        }

        /// libcurl drops the response before anybody sees it (RFC 9110 §5.5).
        @Test("A response with a NUL in a field is an invalid response", arguments: [true, false])
        func nul(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(
                usesCurl: usesCurl,
                handler: { _, connection in Self.answer(connection, "attachment; filename=\"a\u{0}b\"") }
            ) { fixture, server in
                let outcome = await fixture.run(fixture.specification(server.url("/f"), name: nil)).0
                #expect(outcome.failure?.cause == .malformedResponse, "\(outcome)")
                #expect(outcome.failure?.message.contains("Nul byte in header") == true, "\(outcome)")
            }
        }
    }
}
