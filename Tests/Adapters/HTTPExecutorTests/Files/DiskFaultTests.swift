// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy

@testable import HTTPExecutor

extension ExecutorTests {
    /// Tests of full, read-only, and unusual disks, and of other programs that change the files.
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct DiskFaultTests {
        private static let file = ServedFile(bytes: ServedFile.content(1_000_000))

        private static func fails(_ code: Int32) -> Int32 {
            errno = code
            return -1
        }

        @Test("A full disk or an exhausted quota keeps the bytes at every step", arguments: [ENOSPC, EDQUOT])
        func noRoom(code: Int32) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let specification = fixture.specification(server.url("/f"))
                var atStart = FileCalls()
                atStart.reserve = { _, _, _ in Self.fails(code) }
                var inBody = FileCalls()
                inBody.write = {
                    $3 < 300_000 ? pwrite($0, $1, min($2, 300_000 - Int($3)), off_t($3)) : Int(Self.fails(code))
                }
                var atSync = FileCalls()
                atSync.sync = { _, _ in Self.fails(code) }
                var atRename = FileCalls()
                atRename.rename = { _, _, _ in Self.fails(code) }
                for (stage, calls, kept) in [
                    ("start", atStart, Int64(0)), ("body", inBody, 300_000), ("sync", atSync, 0),
                    ("rename", atRename, 1_000_000),
                ] {
                    let outcome = await fixture.run(specification, calls: calls)
                    guard case .storageLow(let needed, _, let resume?) = outcome else {
                        Issue.record("\(stage): \(outcome)")
                        continue
                    }
                    #expect(resume.offset == kept, "\(stage)")
                    #expect(stage == "sync" || needed == 1_000_000 - kept, "\(stage)")
                    let before = server.requests.count
                    let (finished, _) = await fixture.run(specification, resume: resume)
                    #expect(fixture.contents(finished) == Self.file.bytes, "\(stage)")
                    #expect(server.requests[before].range?.first ?? 0 == Int(kept), "\(stage)")
                    #expect(fixture.orphanedFiles.isEmpty)
                    try FileManager.default.removeItem(atPath: fixture.folder)
                }
            }
        }

        @Test("A file system that cannot sync is reported once and used", arguments: [EINVAL, EOPNOTSUPP, ENOSYS])
        func noSync(code: Int32) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                let syncedPaths = Mutex<[String]>([])
                var calls = FileCalls()
                calls.sync = { _, _ in Self.fails(code) }
                calls.cannotSync = { path, _ in syncedPaths.withLock { $0.append(path) } }
                let outcome = await fixture.run(fixture.specification(server.url("/f")), calls: calls) {
                    $0.checkpointBytes = 100_000
                }
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                // The sync of the folder and the last sync of the file may happen in either order.
                #expect(syncedPaths.withLock { $0.contains(fixture.folder) })
            }
            let device = UInt64.random(in: .min ... .max)
            #expect([true, false] == (0..<2).map { _ in UnsyncedVolumes.warn(path: "/x", device: device) })
        }

        @Test("A disk that fails or became read-only because of an error ends the attempt", arguments: [EIO, EROFS])
        func failedSync(code: Int32) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var calls = FileCalls()
                calls.sync = { _, _ in Self.fails(code) }
                let outcome = await fixture.run(fixture.specification(server.url("/f")), calls: calls)
                #expect(outcome.failure?.cause == .destination)
                #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/file"))
            }
        }

        /// A change that another program makes to a partial file.
        enum Meddling: String, CaseIterable { case removes, replaces, cuts, lengthens }

        private static func meddle(_ how: Meddling, _ path: String) throws {
            switch how {
            case .removes: unlink(path)
            case .replaces:
                // The new file is created before the old file is removed, so that it has another inode.
                try Data(repeating: 7, count: 1_000_000).write(to: URL(fileURLWithPath: path + ".new"))
                rename(path + ".new", path)
            case .cuts: truncate(path, 100_000)
            case .lengthens: truncate(path, 900_000)
            }
        }

        // A replaced file is accepted as the partial file. This is correct for files that were restored or moved to
        // another disk. In other cases, a checksum detects the difference.
        @Test(
            "A change to the partial file between two attempts does no harm",
            arguments: [Meddling.removes, .cuts, .lengthens])
        func between(how: Meddling) async throws {
            try await ExecutorFixture.run(handler: Self.file.serve) { fixture, server in
                var resume = try fixture.leavePartial(Self.file.bytes[..<500_000], total: 1_000_000, tag: "\"v1\"")
                resume.fileNumber = FileFacts(path: resume.path)?.number
                try Self.meddle(how, resume.path)
                let (outcome, recorder) = await fixture.run(fixture.specification(server.url("/f")), resume: resume)
                #expect(fixture.contents(outcome) == Self.file.bytes, "\(outcome)")
                #expect(recorder.restarts == (how == .lengthens ? 0 : 1))
                let first = server.requests.first?.range?.first
                #expect(first == [.cuts: 100_000, .lengthens: 500_000][how])
            }
        }

        @Test("A change to the partial file during an attempt does no harm", arguments: Meddling.allCases)
        func during(how: Meddling) async throws {
            let (reached, reach) = AsyncStream<Void>.makeStream()
            let hasMeddled = Mutex(false)
            try await ExecutorFixture.run(handler: { request, connection in
                Self.file.serve(request, connection, first: 300_000) {
                    reach.yield()
                    for _ in 0..<1000 where !hasMeddled.withLock({ $0 }) { connection.pause(milliseconds: 5) }
                }
            }) { fixture, server in
                let specification = fixture.specification(server.url("/f"))
                let (_, recorder) = fixture.start(specification)
                for await _ in reached { break }
                await recorder.wait { $0.contains { $0.progress == 300_000 } }
                let path = try #require(recorder.checkpoints.first?.path)
                try Self.meddle(how, path)
                hasMeddled.withLock { $0 = true }
                let outcome = await recorder.outcome()
                #expect(outcome.failure?.cause == .connection, "\(outcome)")
                #expect(outcome.failure?.message.contains(path) == true)
                #expect(outcome.resume?.offset == [.cuts: 100_000, .lengthens: 300_000][how])
                if how == .replaces { #expect(FileFacts(path: path)?.size == 1_000_000) }
                let (second, _) = await fixture.run(specification, resume: outcome.resume)
                #expect(fixture.contents(second) == Self.file.bytes)
            }
        }
    }
}
