// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// C2: a folder that an app passed as a descriptor is recognized by its identity, not by its name.
    @Suite(.serialized, .timeLimit(.minutes(1)))
    struct FolderIdentityTests {
        private static let file = ServedFile(bytes: ServedFile.content(300_000))

        private func identity(_ path: String) throws -> FolderIdentity {
            let facts = try #require(FileFacts(path: path, followsLinks: true))
            return FolderIdentity(device: facts.device, inode: facts.number)
        }

        /// Returns a transfer to the current folder of the fixture.
        private func specification(_ fixture: ExecutorFixture, _ url: String) throws -> TransferSpecification {
            try FileManager.default.createDirectory(atPath: fixture.folder, withIntermediateDirectories: true)
            var specification = fixture.specification(url)
            specification.destination.folderIdentity = try identity(fixture.folder)
            return specification
        }

        @Test("C2: The chosen folder gets the file, under its visible path, and nothing else changes")
        func chosen() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let outcome = await fixture.run(try specification(fixture, server.url("/f"))).0
                #expect(outcome.completion?.file?.path == fixture.folder + "/file", "\(outcome)")
                #expect(fixture.contents(outcome) == Self.file.bytes)
                #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == ["file"])
                // Otherwise, a store would not keep the identity.
                #expect(try !specification(fixture, server.url("/f")).isPlain)
            }
        }

        @Test("C2: A replaced, linked, or missing folder is refused with a message, and nothing is created")
        func swapped() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let specification = try specification(fixture, server.url("/f"))
                let away = fixture.folder + "-away"
                #expect(rename(fixture.folder, away) == 0)
                let missing = await fixture.run(specification).0.failure
                #expect(missing?.cause == .destination)
                #expect(!FileManager.default.fileExists(atPath: fixture.folder), "it was made")

                #expect(symlink(away, fixture.folder) == 0)
                let linked = await fixture.run(specification).0.failure
                #expect(linked?.message.contains("symbolic link") == true, "\(String(describing: linked))")

                unlink(fixture.folder)
                mkdir(fixture.folder, 0o700)
                let other = await fixture.run(specification).0.failure
                #expect(other?.cause == .destination)
                #expect(other?.message.contains("not the folder that was chosen") == true)
                for folder in [fixture.folder, away] {
                    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
                }
                #expect(server.requests.isEmpty)
            }
        }

        @Test("C2: A folder that is swapped during the download gets the file, and its replacement gets none")
        func swappedMeanwhile() async throws {
            try await ExecutorFixture.run(handler: {
                Self.file.serve($0, $1, stallingAt: $0.target == "/stalls" ? 100_000 : .max)
            }) { fixture, server in
                let attempt = LocalFiles(
                    job: TransferJob(
                        id: TransferID(5), specification: try specification(fixture, server.url("/f")), resume: nil),
                    configuration: HTTPExecutorConfiguration(partialDirectory: fixture.root + "/partial"))
                guard case .download = attempt.prepare(isStopped: { false }).0 else { throw CancellationError() }
                let (away, secret) = (fixture.folder + "-away", fixture.root + "/secret")
                mkdir(secret, 0o700)
                #expect(rename(fixture.folder, away) == 0)
                #expect(symlink(secret, fixture.folder) == 0)
                let answer = ServerFile(url: "http://h/f", status: 200)
                let file = try attempt.open(for: answer)
                #expect(try attempt.adopt(file, as: answer, size: 0)?.path == fixture.folder + "/file")
                #expect(try FileManager.default.contentsOfDirectory(atPath: secret).isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: away) == ["file"])
            }
        }

        @Test(
            "C2: On another file system, the partial file is beside the destination, resumes there, and is discarded",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func beside() async throws {
            let volume = try #require(SmallVolume(bytes: 8 << 20))
            defer { volume.remove() }
            try await ExecutorFixture.run(handler: {
                Self.file.serve($0, $1, stallingAt: $0.target == "/stalls" ? 100_000 : .max)
            }) { fixture, server in
                var specification = fixture.specification(server.url("/stalls"))
                specification.destination.directory = volume.path
                specification.destination.folderIdentity = try identity(volume.path)
                let (id, recorder) = fixture.start(specification)
                await recorder.wait { $0.contains { $0.progress == 100_000 } }
                fixture.executor.stop(id)
                let resume = try #require(await recorder.outcome().resume)
                #expect(resume.path.hasPrefix(volume.path + "/."))
                #expect(FileFacts(path: resume.path)?.size == 100_000)
                specification.url = server.url("/f")
                #expect(fixture.contents(await fixture.run(specification, resume: resume).0) == Self.file.bytes)
                #expect(server.requests.contains { $0.range?.first == 100_000 })
                try Data([1]).write(to: URL(fileURLWithPath: resume.path))
                fixture.discard(resume, of: specification)
                #expect(FileFacts(path: resume.path) == nil)
            }
        }

        @Test("C2: A folder of the document portal is opened below its document, whatever its current inode")
        func document() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let document = fixture.root + "/doc/by-app/org.example.App/1f2e"
                var specification = fixture.specification(server.url("/f"))
                specification.destination.directory = document + "/chosen"
                specification.destination.folderIdentity = FolderIdentity(device: 1, inode: 1, document: document)
                // The portal is not running, which may be temporary.
                let unmounted = await fixture.run(specification).0.failure
                #expect(
                    unmounted?.cause == .folderUnavailable && unmounted?.cause.isTemporary == true,
                    "\(unmounted as Any)")
                #expect(unmounted?.message.contains("is not running") == true)
                // The portal is running and has revoked the document, which is permanent.
                try FileManager.default.createDirectory(
                    atPath: fixture.root + "/doc/by-app", withIntermediateDirectories: true)
                #expect(await fixture.run(specification).0.failure?.cause == .destination)
                #expect(server.requests.isEmpty)
                try FileManager.default.createDirectory(
                    atPath: document + "/chosen", withIntermediateDirectories: true)
                let outcome = await fixture.run(specification).0
                #expect(outcome.completion?.file?.path == document + "/chosen/file", "\(outcome)")
                // Paths outside the document are refused.
                for path in [fixture.root + "/doc", document + "/../../chosen", document + "x/chosen"] {
                    specification.destination.directory = path
                    #expect(await fixture.run(specification).0.failure?.cause == .destination, "\(path)")
                }
            }
        }

        @Test("Destinations saved by earlier versions have no identity and are read unchanged")
        func saved() throws {
            let text = #"{"directory":"/d","collision":"rename"}"#
            let read = try JSONDecoder().decode(Destination.self, from: Data(text.utf8))
            #expect(read == Destination(directory: "/d", name: nil))
            var written = read
            written.folderIdentity = FolderIdentity(device: 1, inode: .max)
            #expect(try JSONDecoder().decode(Destination.self, from: JSONEncoder().encode(written)) == written)
            let before = #"{"directory":"/d","collision":"rename","folderIdentity":{"device":1,"inode":2}}"#
            #expect(
                try JSONDecoder().decode(Destination.self, from: Data(before.utf8)).folderIdentity
                    == FolderIdentity(device: 1, inode: 2))
        }
    }
}
