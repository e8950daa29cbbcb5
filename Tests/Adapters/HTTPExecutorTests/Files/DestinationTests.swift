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
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct DestinationTests {
        private static let file = ServedFile(bytes: ServedFile.content(1000))

        private func write(_ path: String, _ text: String = "mine") throws {
            let folder = (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }

        private func text(_ path: String) -> String? {
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }

        @Test("An existing name is numbered, replaced, or refused, as requested")
        func collisions() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let path = fixture.folder + "/a.tar.gz"
                try write(path)
                func run(_ collision: Destination.Collision) async -> ExecutorOutcome {
                    await fixture.run(fixture.specification(server.url("/f"), name: "a.tar.gz", collision: collision)).0
                }
                #expect(await run(.rename).completion?.file?.path == fixture.folder + "/a (1).tar.gz")
                #expect(await run(.rename).completion?.file?.path == fixture.folder + "/a (2).tar.gz")
                #expect(text(path) == "mine")
                let before = server.requests.count
                let refused = await run(.fail)
                #expect(refused.failure?.cause == .destination)
                #expect(refused.failure?.message.contains(path) == true)
                #expect(server.requests.count == before)
                #expect(text(path) == "mine")
                #expect(fixture.contents(await run(.overwrite)) == Self.file.bytes)
                #expect(fixture.orphanedFiles.isEmpty)
            }
        }

        @Test("Links, folders, and devices are neither replaced nor numbered, and nothing is downloaded for them")
        func notFiles() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                try write(fixture.root + "/target")
                try FileManager.default.createDirectory(
                    atPath: fixture.folder + "/folder", withIntermediateDirectories: true)
                symlink(fixture.root + "/target", fixture.folder + "/link")
                symlink("/nowhere", fixture.folder + "/dangling")
                mkfifo(fixture.folder + "/pipe", 0o600)
                let before = try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted()
                for name in ["link", "dangling", "folder", "pipe"] {
                    for collision in [Destination.Collision.overwrite, .rename] {
                        let outcome = await fixture.run(
                            fixture.specification(server.url("/f"), name: name, collision: collision)
                        ).0
                        #expect(outcome.failure?.cause == .destination, "\(name)")
                        #expect(outcome.failure?.message.contains(fixture.folder + "/" + name) == true)
                    }
                }
                #expect(text(fixture.root + "/target") == "mine")
                #expect(server.requests.isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).sorted() == before)
            }
        }

        @Test("A symbolic link at the partial file's path is not followed, and another name is used")
        func linkedPartial() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                try write(fixture.root + "/target")
                let path = fixture.root + "/l.part"
                symlink(fixture.root + "/target", path)
                let resume = ResumePoint(path: path, offset: 0, total: nil, validator: nil, bootID: "")
                let (outcome, _) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(fixture.contents(outcome) == Self.file.bytes)
                #expect(text(fixture.root + "/target") == "mine")
            }
        }

        @Test("Missing folders are created, and a file at a folder's path is named")
        func folders() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.destination.directory = fixture.root + "/a/b/c"
                #expect(fixture.contents(await fixture.run(specification).0) == Self.file.bytes)
                try write(fixture.root + "/file")
                for folder in ["/file", "/file/sub"] {
                    specification.destination.directory = fixture.root + folder
                    let failure = await fixture.run(specification).0.failure
                    #expect(failure?.cause == .destination)
                    #expect(failure?.message.contains(fixture.root + "/file") == true)
                }
            }
        }

        @Test(
            "Invalid names are refused before any request",
            arguments: ["", "..", "a/b", String(repeating: "x", count: 256)])
        func badNames(name: String) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let outcome = await fixture.run(fixture.specification(server.url("/f"), name: name)).0
                #expect(outcome.failure?.cause == .destination)
                #expect(server.requests.isEmpty)
            }
        }

        @Test("A folder without permission is named", .enabled(if: geteuid() != 0, "root may write everywhere"))
        func noPermission() async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                mkdir(fixture.folder, 0o500)
                let failure = await fixture.fetch(server.url("/f")).failure
                #expect(failure?.cause == .destination)
                #expect(server.requests.isEmpty)
            }
        }

        @Test("A read-only file system is named", .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func readOnly() async throws {
            let volume = try #require(SmallVolume(bytes: 1 << 20, isReadOnly: true))
            defer { volume.remove() }
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.destination.directory = volume.path
                let failure = await fixture.run(specification).0.failure
                #expect(failure?.cause == .destination)
                #expect(failure?.message.contains("read-only") == true)
                #expect(server.requests.isEmpty)
            }
        }

        @Test(
            "On another file system, the partial file is beside the destination, so that finishing is a rename",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func otherVolume() async throws {
            let volume = try #require(SmallVolume(bytes: 8 << 20))
            defer { volume.remove() }
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.destination.directory = volume.path
                let (outcome, recorder) = await fixture.run(specification)
                #expect(fixture.contents(outcome) == Self.file.bytes)
                #expect(recorder.checkpoints.first?.path.hasPrefix(volume.path + "/.") == true)
                // A partial file on another file system is copied.
                let resume = try fixture.leavePartial(Self.file.bytes[..<500], total: 1000, tag: "\"v1\"")
                let (copied, _) = await fixture.run(specification, resume: resume)
                #expect(fixture.contents(copied) == Self.file.bytes)
                #expect(copied.completion?.file?.path == volume.path + "/file (1)")
                #expect(!FileManager.default.fileExists(atPath: resume.path))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: volume.path).filter { !$0.hasSuffix(".placed") }
                        .sorted() == ["file", "file (1)"])
            }
        }

        @Test(
            "A volume that is too small is reported before writing; a volume that fills keeps the bytes for later",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func full() async throws {
            let volume = try #require(SmallVolume(bytes: 2 << 20))
            defer { volume.remove() }
            let large = ServedFile(bytes: ServedFile.content(3 << 20))
            try await ExecutorFixture.run(handler: { request, connection in
                if request.target == "/chunked", request.range == nil {
                    connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
                    connection.sendChunk(large.bytes)
                    connection.send("0\r\n\r\n")
                } else {
                    large.serve(request, connection)
                }
            }) { fixture, server in
                var specification = fixture.specification(server.url("/known"))
                specification.destination.directory = volume.path
                let (known, _) = await fixture.run(specification)
                guard case .storageLow(let needed, let available, _) = known else {
                    Issue.record("\(known)")
                    return
                }
                #expect(needed == 3 << 20)
                #expect(available <= 2 << 20)
                if let resume = known.resume { fixture.discard(resume) }
                specification.url = server.url("/chunked")
                let (unknown, _) = await fixture.run(specification)
                guard case .storageLow(nil, _, let resume?) = unknown else {
                    Issue.record("\(unknown)")
                    return
                }
                #expect(resume.offset > 1 << 20)
                #expect(FileFacts(path: resume.path)?.size ?? 0 >= resume.offset)
                #expect(mount("tmpfs", volume.path, "tmpfs", UInt(MS_REMOUNT), "size=\(8 << 20)") == 0)
                let (finished, _) = await fixture.run(specification, resume: resume)
                #expect(fixture.contents(finished) == large.bytes)
                #expect(server.requests.last?.range?.first == Int(resume.offset))
            }
        }
    }
}
