// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite("Files that are at the destination already", .serialized, .timeLimit(.minutes(2)))
    struct PresentFileTests {
        private static let file = ServedFile(bytes: Array("the whole file".utf8))
        private static let digest = ContentDigest.sha256(of: "the whole file")

        /// Runs a test with a foreign file at the destination.
        private func withFile(
            _ text: String, _ body: (ExecutorFixture, HostileServer, String) async throws -> Void
        ) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
                let path = fixture.folder + "/file"
                try Data(text.utf8).write(to: URL(fileURLWithPath: path))
                try await body(fixture, server, path)
            }
        }

        private func specification(
            _ fixture: ExecutorFixture, _ server: HostileServer, name: String? = "file",
            _ collision: Destination.Collision = .rename
        ) -> TransferSpecification {
            var specification = fixture.specification(server.url("/file"), name: name, collision: collision)
            specification.checksum = Checksum(algorithm: .sha256, hexDigest: Self.digest)
            return specification
        }

        @Test(
            "A file with the checksum is complete without a request, whoever put it there",
            arguments: [Destination.Collision.rename, .overwrite, .fail], ["file", nil])
        func proven(collision: Destination.Collision, name: String?) async throws {
            try await withFile("the whole file") { fixture, server, path in
                let completion = await fixture.run(specification(fixture, server, name: name, collision)).0.completion
                #expect(completion?.wasAlreadyComplete == true)
                #expect(completion?.file?.path == path && completion?.file?.bytes == 14)
                #expect(server.requests.isEmpty)
                let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
                #expect(names == ["file"])
            }
        }

        @Test("The file of an earlier run proves itself under its own name; a link proves nothing")
        func earlier() async throws {
            try await withFile("another file") { fixture, server, path in
                let numbered = fixture.folder + "/file (1)"
                let first = await fixture.run(specification(fixture, server)).0.completion
                #expect(first?.file?.path == numbered && first?.wasAlreadyComplete == false)
                var again = specification(fixture, server)
                again.completedBefore = first?.file
                let second = await fixture.run(again).0.completion
                #expect(second?.file?.path == numbered && second?.wasAlreadyComplete == true)
                unlink(path)
                symlink(numbered, path)
                again.completedBefore = nil
                #expect(await fixture.run(again).0.completion?.wasAlreadyComplete != true)
            }
        }

        @Test("An option for the place of the file wins over the file of an earlier run under another name")
        func option() async throws {
            try await withFile("another file") { fixture, server, path in
                func run(_ collision: Destination.Collision, after file: CompletedFile?) async -> ExecutorOutcome {
                    var specification = fixture.specification(server.url("/file"), name: nil, collision: collision)
                    specification.completedBefore = file
                    return await fixture.run(specification).0
                }
                let first = await run(.rename, after: nil).completion?.file
                #expect(first?.path == path + " (1)")
                #expect(await run(.rename, after: first).completion?.wasAlreadyComplete == true)
                #expect(await run(.fail, after: first).failure?.cause == .destination)
                #expect(fixture.contents(await run(.overwrite, after: first)) == Self.file.bytes)
                #expect(FileManager.default.contents(atPath: path).map(Array.init) == Self.file.bytes)
            }
        }
    }
}
