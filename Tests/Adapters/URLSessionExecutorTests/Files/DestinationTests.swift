// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import URLSessionExecutor

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

        @Test("a name that is taken is numbered, replaced or refused, as asked")
        func collisions() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let path = bench.folder + "/a.tar.gz"
                try write(path)
                func run(_ collision: Destination.Collision) async -> ExecutorOutcome {
                    await bench.run(bench.specification(server.url("/f"), name: "a.tar.gz", collision: collision)).0
                }
                #expect(await run(.rename).completion?.file?.path == bench.folder + "/a (1).tar.gz")
                #expect(await run(.rename).completion?.file?.path == bench.folder + "/a (2).tar.gz")
                #expect(text(path) == "mine")
                let before = server.requests.count
                let refused = await run(.fail)
                #expect(refused.failure?.cause == .destination)
                #expect(refused.failure?.message.contains(path) == true)
                #expect(server.requests.count == before)
                #expect(text(path) == "mine")
                #expect(bench.contents(await run(.overwrite)) == Self.file.bytes)
                #expect(bench.leftovers.isEmpty)
            }
        }

        @Test("a name that appears while the file comes is not overwritten")
        func race() async throws {
            let (gate, open) = AsyncStream<Void>.makeStream()
            let large = ServedFile(bytes: ServedFile.content(100_000))
            let hasAppeared = Flag()
            try await Bench.run(handler: { request, connection in
                if request.range?.first == 65536 {
                    open.yield()
                    for _ in 0..<1000 where !hasAppeared.isSet { connection.pause(milliseconds: 10) }
                }
                large.serve(request, connection)
            }) { bench, server in
                let (_, recorder) = bench.start(bench.specification(server.url("/f"), name: "x", collision: .fail))
                for await _ in gate { break }
                try write(bench.folder + "/x")
                hasAppeared.set()
                let outcome = await recorder.outcome()
                #expect(outcome.failure?.cause == .destination)
                #expect(outcome.resume?.offset == 100_000)
                #expect(text(bench.folder + "/x") == "mine")
            }
        }

        @Test("links, folders and devices are neither replaced nor numbered, and nothing is fetched for them")
        func notFiles() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                try write(bench.root + "/target")
                try FileManager.default.createDirectory(
                    atPath: bench.folder + "/folder", withIntermediateDirectories: true)
                symlink(bench.root + "/target", bench.folder + "/link")
                symlink("/nowhere", bench.folder + "/dangling")
                mkfifo(bench.folder + "/pipe", 0o600)
                let before = try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted()
                for name in ["link", "dangling", "folder", "pipe"] {
                    for collision in [Destination.Collision.overwrite, .rename] {
                        let outcome = await bench.run(
                            bench.specification(server.url("/f"), name: name, collision: collision)
                        ).0
                        #expect(outcome.failure?.cause == .destination, "\(name)")
                        #expect(outcome.failure?.message.contains(bench.folder + "/" + name) == true)
                    }
                }
                #expect(text(bench.root + "/target") == "mine")
                #expect(server.requests.isEmpty)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder).sorted() == before)
            }
        }

        @Test("a symbolic link in the place of the partial file is not followed")
        func linkedPartial() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                try write(bench.root + "/target")
                let path = bench.root + "/l.part"
                symlink(bench.root + "/target", path)
                let resume = ResumePoint(path: path, offset: 0, total: nil, validator: nil, bootID: "")
                let (outcome, _) = await bench.run(bench.specification(server.url("/f")), resume: resume)
                #expect(outcome.failure?.cause == .destination)
                #expect(text(bench.root + "/target") == "mine")
            }
        }

        @Test("missing folders are made, a file in their place is named")
        func folders() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.destination.directory = bench.root + "/a/b/c"
                #expect(bench.contents(await bench.run(specification).0) == Self.file.bytes)
                try write(bench.root + "/file")
                for folder in ["/file", "/file/sub"] {
                    specification.destination.directory = bench.root + folder
                    let failure = await bench.run(specification).0.failure
                    #expect(failure?.cause == .destination)
                    #expect(failure?.message.contains(bench.root + "/file") == true)
                }
            }
        }

        @Test(
            "names that are no names are refused before anything is fetched",
            arguments: ["", "..", "a/b", String(repeating: "x", count: 256)])
        func badNames(name: String) async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let outcome = await bench.run(bench.specification(server.url("/f"), name: name)).0
                #expect(outcome.failure?.cause == .destination)
                #expect(server.requests.isEmpty)
            }
        }

        @Test("a name of 255 bytes works, also when it is taken", arguments: ["a", "é", "漢"])
        func longNames(character: String) async throws {
            let name = String(repeating: character, count: 255 / character.utf8.count)
            try await Bench.run(handler: Self.file.serve) { bench, server in
                let first = await bench.run(bench.specification(server.url("/f"), name: name)).0
                let second = await bench.run(bench.specification(server.url("/f"), name: name)).0
                #expect(first.completion?.file?.path == bench.folder + "/" + name)
                #expect(bench.contents(second) == Self.file.bytes)
            }
        }

        @Test("the server's name is used where none is given, and made safe")
        func serverName() async throws {
            try await Bench.run(handler: { request, connection in
                var file = Self.file
                file.extraFields = ["Content-Disposition: attachment; filename=\"../../evil.sh\""]
                (request.target == "/named" ? file : Self.file).serve(request, connection)
            }) { bench, server in
                let named = await bench.run(bench.specification(server.url("/named"), name: nil)).0
                #expect(named.completion?.file?.path == bench.folder + "/evil.sh")
                let url = await bench.run(bench.specification(server.url("/d/a%20b.txt?x=/y"), name: nil)).0
                #expect(url.completion?.file?.path == bench.folder + "/a b.txt")
            }
        }

        @Test("a folder without permission is named", .enabled(if: geteuid() != 0, "root may write everywhere"))
        func noPermission() async throws {
            try await Bench.run(handler: Self.file.serve) { bench, server in
                mkdir(bench.folder, 0o500)
                let failure = await bench.fetch(server.url("/f")).failure
                #expect(failure?.cause == .destination)
                #expect(server.requests.isEmpty)
            }
        }

        @Test("a read-only file system is named", .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func readOnly() async throws {
            let volume = try #require(SmallVolume(bytes: 1 << 20, isReadOnly: true))
            defer { volume.remove() }
            try await Bench.run(handler: Self.file.serve) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.destination.directory = volume.path
                let failure = await bench.run(specification).0.failure
                #expect(failure?.cause == .destination)
                #expect(failure?.message.contains("read-only") == true)
                #expect(server.requests.isEmpty)
            }
        }

        @Test(
            "another file system gets its partial file beside the destination, so that finishing is a rename",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func otherVolume() async throws {
            let volume = try #require(SmallVolume(bytes: 8 << 20))
            defer { volume.remove() }
            try await Bench.run(handler: Self.file.serve) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.destination.directory = volume.path
                let (outcome, recorder) = await bench.run(specification)
                #expect(bench.contents(outcome) == Self.file.bytes)
                #expect(recorder.checkpoints.first?.path.hasPrefix(volume.path + "/.") == true)
                // A partial file on another file system is copied.
                let resume = try bench.leavePartial(Self.file.bytes[..<500], total: 1000, tag: "\"v1\"")
                let (copied, _) = await bench.run(specification, resume: resume)
                #expect(bench.contents(copied) == Self.file.bytes)
                #expect(copied.completion?.file?.path == volume.path + "/file (1)")
                #expect(!FileManager.default.fileExists(atPath: resume.path))
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: volume.path).filter { !$0.hasSuffix(".placed") }
                        .sorted() == ["file", "file (1)"])
            }
        }

        @Test(
            "a volume that is too small is told before writing; one that fills up keeps the bytes and goes on later",
            .enabled(if: SmallVolume.isPossible, "mounting is not allowed here"))
        func full() async throws {
            let volume = try #require(SmallVolume(bytes: 2 << 20))
            defer { volume.remove() }
            let large = ServedFile(bytes: ServedFile.content(3 << 20))
            try await Bench.run(handler: { request, connection in
                if request.target == "/chunked", request.range?.first == 0 {
                    connection.send("HTTP/1.1 200 OK\r\nETag: \"v1\"\r\nTransfer-Encoding: chunked\r\n\r\n")
                    connection.sendChunk(large.bytes)
                    connection.send("0\r\n\r\n")
                } else {
                    large.serve(request, connection)
                }
            }) { bench, server in
                var specification = bench.specification(server.url("/known"))
                specification.destination.directory = volume.path
                let (known, _) = await bench.run(specification)
                guard case .storageLow(let needed, let available, _) = known else {
                    Issue.record("\(known)")
                    return
                }
                #expect(needed == 3 << 20)
                #expect(available <= 2 << 20)
                if let resume = known.resume { bench.discard(resume) }
                specification.url = server.url("/chunked")
                let (unknown, _) = await bench.run(specification)
                guard case .storageLow(nil, _, let resume?) = unknown else {
                    Issue.record("\(unknown)")
                    return
                }
                #expect(resume.offset > 1 << 20)
                #expect(FileFacts(path: resume.path)?.size ?? 0 >= resume.offset)
                #expect(mount("tmpfs", volume.path, "tmpfs", UInt(MS_REMOUNT), "size=\(8 << 20)") == 0)
                let (finished, _) = await bench.run(specification, resume: resume)
                #expect(bench.contents(finished) == large.bytes)
                #expect(server.requests.suffix(2).first?.range?.first == Int(resume.offset))
            }
        }

        @Test("the floor stays free")
        func floor() async throws {
            try await Bench.run(
                configure: { ($0.storageFloorBytes, $0.storageFloorPercent) = (.max, 100) }, handler: Self.file.serve
            ) { bench, server in
                let (outcome, _) = await bench.run(bench.specification(server.url("/f")))
                guard case .storageLow(needed: 1000, available: 0, _) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(bench.executor.availableSpace(for: bench.specification(server.url("/f"))) == 0)
            }
        }
    }
}

/// A thread-safe flag.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}
