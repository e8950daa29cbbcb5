// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

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
        private func specification(_ bench: Bench, _ url: String) throws -> TransferSpecification {
            try FileManager.default.createDirectory(atPath: bench.folder, withIntermediateDirectories: true)
            var specification = bench.specification(url)
            specification.destination.folderIdentity = try identity(bench.folder)
            return specification
        }

        @Test("C2: the folder that was chosen gets the file, under the path that people know, and nothing else")
        func chosen() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let outcome = await bench.run(try specification(bench, server.url("/f"))).0
                #expect(outcome.completion?.file?.path == bench.folder + "/file", "\(outcome)")
                #expect(bench.contents(outcome) == Self.file.bytes)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["file"])
                // Otherwise, a store would not keep the identity.
                #expect(try !specification(bench, server.url("/f")).isPlain)
            }
        }

        @Test("C2: another folder in its place, a link to it, or none at all is refused in words, and nothing is made")
        func swapped() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let specification = try specification(bench, server.url("/f"))
                let away = bench.folder + "-away"
                #expect(rename(bench.folder, away) == 0)
                let missing = await bench.run(specification).0.failure
                #expect(missing?.cause == .destination)
                #expect(!FileManager.default.fileExists(atPath: bench.folder), "it was made")

                #expect(symlink(away, bench.folder) == 0)
                let linked = await bench.run(specification).0.failure
                #expect(linked?.message.contains("symbolic link") == true, "\(String(describing: linked))")

                unlink(bench.folder)
                mkdir(bench.folder, 0o700)
                let other = await bench.run(specification).0.failure
                #expect(other?.cause == .destination)
                #expect(other?.message.contains("not the folder that was chosen") == true)
                for folder in [bench.folder, away] {
                    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
                }
                #expect(server.requests.isEmpty)
            }
        }

        @Test("C2: a folder that is swapped while bytes come still gets the file, and the one in its place gets none")
        func swappedMeanwhile() async throws {
            try await Bench.run(handler: {
                Self.file.serve($0, $1, stallingAt: $0.target == "/stalls" ? 100_000 : .max)
            }) { bench, server in
                let attempt = LocalFiles(
                    job: TransferJob(
                        id: TransferID(5), specification: try specification(bench, server.url("/f")), resume: nil),
                    configuration: URLSessionExecutorConfiguration(partialDirectory: bench.root + "/partial"))
                guard case .download = attempt.prepare().0 else { throw CancellationError() }
                let (away, secret) = (bench.folder + "-away", bench.root + "/secret")
                mkdir(secret, 0o700)
                #expect(rename(bench.folder, away) == 0)
                #expect(symlink(secret, bench.folder) == 0)
                let answer = ServerFile(url: "http://h/f", status: 200)
                let file = try attempt.open(for: answer)
                #expect(try attempt.adopt(file, as: answer, size: 0)?.path == bench.folder + "/file")
                #expect(try FileManager.default.contentsOfDirectory(atPath: secret).isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: away) == ["file"])
            }
        }

        @Test(
            "C2: on another file system the partial file lies beside the destination, goes on from there, and is discarded",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func beside() async throws {
            let volume = try #require(SmallVolume(bytes: 8 << 20))
            defer { volume.remove() }
            try await Bench.run(handler: {
                Self.file.serve($0, $1, stallingAt: $0.target == "/stalls" ? 100_000 : .max)
            }) { bench, server in
                var specification = bench.specification(server.url("/stalls"))
                specification.destination.directory = volume.path
                specification.destination.folderIdentity = try identity(volume.path)
                let (id, recorder) = bench.start(specification)
                await recorder.wait { $0.contains { $0.progress == 100_000 } }
                bench.executor.stop(id)
                let resume = try #require(await recorder.outcome().resume)
                #expect(resume.path.hasPrefix(volume.path + "/."))
                #expect(FileFacts(path: resume.path)?.size == 100_000)
                specification.url = server.url("/f")
                #expect(bench.contents(await bench.run(specification, resume: resume).0) == Self.file.bytes)
                #expect(server.requests.contains { $0.range?.first == 100_000 })
                try Data([1]).write(to: URL(fileURLWithPath: resume.path))
                bench.discard(resume, of: specification)
                #expect(FileFacts(path: resume.path) == nil)
            }
        }

        @Test("C2: a folder of the document portal is opened beneath its document, whatever its numbers are by now")
        func document() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let document = bench.root + "/doc/by-app/org.example.App/1f2e"
                var specification = bench.specification(server.url("/f"))
                specification.destination.directory = document + "/chosen"
                specification.destination.folderIdentity = FolderIdentity(device: 1, inode: 1, document: document)
                // The portal is not running, which may be temporary.
                let unmounted = await bench.run(specification).0.failure
                #expect(
                    unmounted?.cause == .folderUnavailable && unmounted?.cause.mayPass == true, "\(unmounted as Any)")
                #expect(unmounted?.message.contains("does not run") == true)
                // The portal is running and has revoked the document, which is permanent.
                try FileManager.default.createDirectory(
                    atPath: bench.root + "/doc/by-app", withIntermediateDirectories: true)
                #expect(await bench.run(specification).0.failure?.cause == .destination)
                #expect(server.requests.isEmpty)
                try FileManager.default.createDirectory(
                    atPath: document + "/chosen", withIntermediateDirectories: true)
                let outcome = await bench.run(specification).0
                #expect(outcome.completion?.file?.path == document + "/chosen/file", "\(outcome)")
                // Paths outside the document are refused.
                for path in [bench.root + "/doc", document + "/../../chosen", document + "x/chosen"] {
                    specification.destination.directory = path
                    #expect(await bench.run(specification).0.failure?.cause == .destination, "\(path)")
                }
            }
        }

        @Test("destinations that earlier versions saved have no identity, and are read as they are")
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
