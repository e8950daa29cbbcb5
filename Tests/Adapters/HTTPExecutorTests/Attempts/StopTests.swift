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
    struct StopTests {
        private static let file = ServedFile(bytes: ServedFile.content(3_000_000))

        /// Sends the first million bytes of the file and then nothing. A request for a range receives all its bytes.
        private static let stalling: HostileServer.Handler = { request, connection in
            if request.range == nil {
                file.serve(request, connection, onlyBytes: 1_000_000)
                connection.waitForClient()
            } else {
                file.serve(request, connection)
            }
        }

        @Test(
            "After a crash between the final name and its record, the next attempt finds the file and downloads nothing"
        )
        func findsThePlacedFile() async throws {
            try await ExecutorFixture.run(handler: { Self.file.serve($0, $1) }) { fixture, server in
                let specification = fixture.specification(server.url("/f"))
                let (outcome, recorder) = await fixture.run(specification)
                let placed = try #require(outcome.completion?.file)
                let resume = try #require(recorder.checkpoints.last)
                #expect(resume.fileNumber != nil)
                let requestCount = server.requests.count
                // This is the state in the store: the last checkpoint, and no record of the end.
                let (again, _) = await fixture.run(specification, resume: resume)
                #expect(again.completion?.file == placed)
                #expect(server.requests.count == requestCount)
                #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == ["file"])
                // Another file of that name must not be mistaken for the placed file.
                try Data(Self.file.bytes).write(to: URL(fileURLWithPath: fixture.folder + "/other"))
                unlink(placed.path)
                try FileManager.default.moveItem(atPath: fixture.folder + "/other", toPath: placed.path)
                var stranger = resume
                stranger.fileNumber = resume.fileNumber.map { $0 &+ 1_000_000_007 }
                _ = await fixture.run(specification, resume: stranger)
                #expect(server.requests.count > requestCount)
            }
        }

        @Test(
            "After a crash before any record, the mark identifies the file: one download, no numbered copy",
            arguments: [Destination.Collision.rename, .overwrite, .fail])
        func findsTheMark(_ collision: Destination.Collision) async throws {
            try await ExecutorFixture.run(handler: { Self.file.serve($0, $1) }) { fixture, server in
                let specification = fixture.specification(server.url("/f"), collision: collision)
                let job = TransferJob(id: TransferID(7), specification: specification, resume: nil)
                let first = await fixture.run(job)
                #expect(fixture.contents(first) == Self.file.bytes)
                let requestCount = server.requests.count
                let again = Recorder()
                fixture.executor.start(job, reporting: again.report)
                let placed = try #require(first.completion)
                #expect(placed.file?.validator?.entityTag != nil)
                #expect(await again.outcome() == .finished(placed))
                #expect(server.requests.count == requestCount)
                #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == ["file"])
                // Recording the end removes the mark. From then on, the file belongs to no transfer.
                fixture.discard(try #require(again.checkpoints.last))
                #expect(fixture.marks.isEmpty && fixture.orphanedFiles.isEmpty)
                _ = await fixture.run(job)
                #expect((server.requests.count > requestCount) == (collision != .fail))
            }
        }

        @Test("A mark is not trusted if its file is missing, changed, or not yet in its final place")
        func staleMarks() async throws {
            try await ExecutorFixture.run(handler: { Self.file.serve($0, $1) }) { fixture, server in
                let specification = fixture.specification(server.url("/f"), collision: .overwrite)
                let job = TransferJob(id: TransferID(7), specification: specification, resume: nil)
                let path = try #require(await fixture.run(job).completion?.file?.path)
                let spoilers: [(String, () throws -> Void)] = [
                    ("gone", { unlink(path) }),
                    ("touched", { utimes(path, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) }),
                    ("longer", { try #require(truncate(path, 3_000_001) == 0) }),
                    ("nameless", { rename(path, fixture.root + "/partial/" + fixture.marks[0].dropLast(7) + ".part") }),
                ]
                for (what, spoil) in spoilers {
                    try spoil()
                    let requestCount = server.requests.count
                    #expect(fixture.contents(await fixture.run(job)) == Self.file.bytes, "\(what)")
                    #expect(server.requests.count > requestCount, "\(what)")
                    #expect(fixture.marks.count == 1, "\(what)")
                }
            }
        }

        @Test("A crash after a copy to another file system also leaves a mark; a failure leaves none")
        func marksCopies() async throws {
            try await ExecutorFixture.run(handler: { Self.file.serve($0, $1) }) { fixture, server in
                let specification = fixture.specification(server.url("/f"))
                var calls = FileCalls()
                calls.rename = { source, path, replaces in
                    if source.hasSuffix(".part") {
                        errno = EXDEV
                        return -1
                    }
                    return FileCalls().rename(source, path, replaces)
                }
                let first = await fixture.run(specification, calls: calls)
                let requestCount = server.requests.count
                let second = await fixture.run(specification, calls: calls)
                #expect(second.completion?.file?.path == first.completion?.file?.path)
                #expect(fixture.contents(second) == Self.file.bytes)
                #expect(server.requests.count == requestCount)

                // The crash came before the partial file was removed, or before the copy received its name.
                let partial = fixture.root + "/partial/" + fixture.marks[0].dropLast(7) + ".part"
                try Data([1]).write(to: URL(fileURLWithPath: partial))
                let path = try #require(first.completion?.file?.path)
                #expect(await fixture.run(specification, calls: calls).completion?.file?.path == path)
                #expect(server.requests.count == requestCount)
                rename(path, fixture.folder + "/." + Paths.name(partial) + "-x.copy")
                let third = await fixture.run(specification, calls: calls)
                #expect(third.completion?.file?.path == path)
                #expect(server.requests.count > requestCount)

                calls.rename = { _, _, _ in
                    errno = EACCES
                    return -1
                }
                let other = fixture.specification(server.url("/f"), name: "other")
                #expect(await fixture.run(other, calls: calls).failure?.cause == .destination)
                #expect(fixture.marks.count == 1)
            }
        }

        @Test(
            "A stop during a transfer keeps the bytes durably and ends once; the next attempt continues",
            arguments: [true, false])
        func stopAndContinue(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(usesCurl: usesCurl, handler: Self.stalling) { fixture, server in
                let specification = fixture.specification(server.url("/f"))
                let (id, recorder) = fixture.start(specification)
                await recorder.wait { $0.contains { $0.progress == 1_000_000 } }
                fixture.executor.stop(id)
                fixture.executor.stop(id)
                let outcome = await recorder.outcome()
                guard case .stopped(let resume?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(resume.offset == 1_000_000)
                #expect(recorder.checkpoints.last == resume)
                let count = recorder.reports.count
                let (second, _) = await fixture.run(specification, resume: resume)
                #expect(fixture.contents(second) == Self.file.bytes)
                #expect(server.requests[1].range?.first == 1_000_000)
                #expect(recorder.reports.count == count)
                #expect(recorder.reports.last?.outcome == outcome)
            }
        }

        @Test("A stop before the first response ends immediately; a stop before the start keeps earlier bytes")
        func stopEarly() async throws {
            try await ExecutorFixture.run(handler: { _, connection in connection.waitForClient() }) { fixture, server in
                let resume = try fixture.leavePartial(Self.file.bytes[..<1000], total: 3_000_000, tag: "\"v1\"")
                let (id, recorder) = fixture.start(fixture.specification(server.url("/f")), resume: resume)
                fixture.executor.stop(id)
                #expect(await recorder.outcome() == .stopped(resume))
                let (other, second) = fixture.start(fixture.specification(server.url("/f")))
                fixture.executor.stop(other)
                #expect(await second.outcome() == .stopped(nil))
            }
        }

        @Test("A server that never stops sending delivers nothing after the end")
        func noLateBytes() async throws {
            try await ExecutorFixture.run(handler: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\n")
                while connection.send([UInt8](repeating: 7, count: 65536)) {}
            }) { fixture, server in
                for _ in 0..<5 {
                    let (id, recorder) = fixture.start(fixture.specification(server.url("/f")))
                    await recorder.wait { $0.contains { ($0.progress ?? 0) > 2_000_000 } }
                    fixture.executor.stop(id)
                    let resume = try #require(await recorder.outcome().resume)
                    let count = recorder.reports.count
                    let size = FileFacts(path: resume.path)?.size
                    #expect(resume.offset == size)
                    // A complete run of another transfer lies in between, so any late reports would have arrived by
                    // now.
                    let (next, second) = fixture.start(fixture.specification(server.url("/f")))
                    await second.wait { $0.contains { ($0.progress ?? 0) > 1_000_000 } }
                    fixture.executor.stop(next)
                    _ = await second.outcome()
                    #expect(recorder.reports.count == count)
                    #expect(FileFacts(path: resume.path)?.size == size)
                }
            }
        }

        @Test("A second start of a running transfer fails and does not affect the first")
        func twice() async throws {
            try await ExecutorFixture.run(handler: Self.stalling) { fixture, server in
                let (id, recorder) = fixture.start(fixture.specification(server.url("/f")))
                await recorder.wait { $0.contains { $0.progress == 1_000_000 } }
                let second = Recorder()
                let job = TransferJob(id: id, specification: fixture.specification(server.url("/f")), resume: nil)
                fixture.executor.start(job, reporting: second.report)
                #expect(await second.outcome().failure?.cause == .executorLost)
                #expect(!recorder.isEnded)
            }
        }

        @Test("Discarding a transfer removes its files and no other files")
        func discard() async throws {
            try await ExecutorFixture.run(handler: Self.stalling) { fixture, server in
                let (id, recorder) = fixture.start(fixture.specification(server.url("/f")))
                await recorder.wait { $0.contains { $0.progress == 1_000_000 } }
                fixture.executor.stop(id)
                let resume = try #require(await recorder.outcome().resume)
                #expect(FileFacts(path: resume.path) != nil)
                fixture.discard(resume)
                fixture.discard(resume)
                #expect(fixture.orphanedFiles.isEmpty)
                var other = resume
                other.path = fixture.root + "/precious"
                try Data([1]).write(to: URL(fileURLWithPath: other.path))
                fixture.discard(other)
                #expect(FileFacts(path: other.path) != nil)
            }
        }
    }
}
