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
    struct StopTests {
        private static let file = ServedFile(bytes: ServedFile.content(3_000_000))

        /// Sends the requested bytes, except for the second range: sends only its first million bytes and then
        /// nothing.
        private static let stalling: HostileServer.Handler = { request, connection in
            if request.range?.first == 65536 {
                file.serve(request, connection, onlyBytes: 1_000_000)
                connection.waitForClient()
            } else {
                file.serve(request, connection)
            }
        }

        @Test("a crash between the final name and its record: the next attempt finds the file and fetches nothing")
        func findsThePlacedFile() async throws {
            try await Bench.run(handler: { Self.file.serve($0, $1) }) { bench, server in
                let specification = bench.specification(server.url("/f"))
                let (outcome, recorder) = await bench.run(specification)
                let placed = try #require(outcome.completion?.file)
                let resume = try #require(recorder.checkpoints.last)
                #expect(resume.fileNumber != nil)
                let asked = server.requests.count
                // This is the state in the store: the last checkpoint, and no record of the end.
                let (again, _) = await bench.run(specification, resume: resume)
                #expect(again.completion?.file == placed)
                #expect(server.requests.count == asked)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["file"])
                // Another file of that name must not be mistaken for the placed file.
                try Data(Self.file.bytes).write(to: URL(fileURLWithPath: bench.folder + "/other"))
                unlink(placed.path)
                try FileManager.default.moveItem(atPath: bench.folder + "/other", toPath: placed.path)
                var stranger = resume
                stranger.fileNumber = resume.fileNumber.map { $0 &+ 1_000_000_007 }
                _ = await bench.run(specification, resume: stranger)
                #expect(server.requests.count > asked)
            }
        }

        @Test(
            "of a crash before anything was saved the mark tells: the file is fetched once, and never numbered",
            arguments: [Destination.Collision.rename, .overwrite, .fail])
        func findsTheMark(_ collision: Destination.Collision) async throws {
            try await Bench.run(handler: { Self.file.serve($0, $1) }) { bench, server in
                let specification = bench.specification(server.url("/f"), collision: collision)
                let job = TransferJob(id: TransferID(7), specification: specification, resume: nil)
                let first = await bench.run(job)
                #expect(bench.contents(first) == Self.file.bytes)
                let asked = server.requests.count
                let again = Recorder()
                bench.executor.start(job, reporting: again.report)
                let placed = try #require(first.completion)
                #expect(placed.file?.validator?.entityTag != nil)
                #expect(await again.outcome() == .finished(placed))
                #expect(server.requests.count == asked)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["file"])
                // Recording the end removes the mark. From then on, the file belongs to no transfer.
                bench.discard(try #require(again.checkpoints.last))
                #expect(bench.marks.isEmpty && bench.leftovers.isEmpty)
                _ = await bench.run(job)
                #expect((server.requests.count > asked) == (collision != .fail))
            }
        }

        @Test("a mark is not believed when its file is gone, was changed, or is still to get its name")
        func staleMarks() async throws {
            try await Bench.run(handler: { Self.file.serve($0, $1) }) { bench, server in
                let specification = bench.specification(server.url("/f"), collision: .overwrite)
                let job = TransferJob(id: TransferID(7), specification: specification, resume: nil)
                let path = try #require(await bench.run(job).completion?.file?.path)
                let spoilers: [(String, () throws -> Void)] = [
                    ("gone", { unlink(path) }),
                    ("touched", { utimes(path, [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 1, tv_usec: 0)]) }),
                    ("longer", { try #require(truncate(path, 3_000_001) == 0) }),
                    ("nameless", { rename(path, bench.root + "/partial/" + bench.marks[0].dropLast(7) + ".part") }),
                ]
                for (what, spoil) in spoilers {
                    try spoil()
                    let asked = server.requests.count
                    #expect(bench.contents(await bench.run(job)) == Self.file.bytes, "\(what)")
                    #expect(server.requests.count > asked, "\(what)")
                    #expect(bench.marks.count == 1, "\(what)")
                }
            }
        }

        @Test("a crash after a copy to another file system got its name leaves a mark, too; a failure leaves none")
        func marksCopies() async throws {
            try await Bench.run(handler: { Self.file.serve($0, $1) }) { bench, server in
                let specification = bench.specification(server.url("/f"))
                var calls = FileCalls()
                calls.rename = { source, path, replaces in
                    if source.hasSuffix(".part") {
                        errno = EXDEV
                        return -1
                    }
                    return FileCalls().rename(source, path, replaces)
                }
                let first = await bench.run(specification, calls: calls)
                let asked = server.requests.count
                let second = await bench.run(specification, calls: calls)
                #expect(second.completion?.file?.path == first.completion?.file?.path)
                #expect(bench.contents(second) == Self.file.bytes)
                #expect(server.requests.count == asked)

                // The crash came before the partial file was removed, or before the copy received its name.
                let partial = bench.root + "/partial/" + bench.marks[0].dropLast(7) + ".part"
                try Data([1]).write(to: URL(fileURLWithPath: partial))
                let path = try #require(first.completion?.file?.path)
                #expect(await bench.run(specification, calls: calls).completion?.file?.path == path)
                #expect(server.requests.count == asked)
                rename(path, bench.folder + "/." + Paths.name(partial) + "-x.copy")
                let third = await bench.run(specification, calls: calls)
                #expect(third.completion?.file?.path == path)
                #expect(server.requests.count > asked)

                calls.rename = { _, _, _ in
                    errno = EACCES
                    return -1
                }
                let other = bench.specification(server.url("/f"), name: "other")
                #expect(await bench.run(other, calls: calls).failure?.cause == .destination)
                #expect(bench.marks.count == 1)
            }
        }

        @Test(
            "a stop in the middle keeps the bytes, says so durably, and ends once; the next attempt continues",
            arguments: [true, false])
        func stopAndContinue(repaired: Bool) async throws {
            try await Bench.run(repaired: repaired, handler: Self.stalling) { bench, server in
                let specification = bench.specification(server.url("/f"))
                let (id, recorder) = bench.start(specification)
                await recorder.wait { $0.contains { $0.progress == 1_065_536 } }
                bench.executor.stop(id)
                bench.executor.stop(id)
                let outcome = await recorder.outcome()
                guard case .stopped(let resume?) = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
                #expect(resume.offset == 1_065_536)
                #expect(recorder.checkpoints.last == resume)
                let count = recorder.reports.count
                let (second, _) = await bench.run(specification, resume: resume)
                #expect(bench.contents(second) == Self.file.bytes)
                #expect(server.requests[2].range?.first == 1_065_536)
                #expect(recorder.reports.count == count)
                #expect(recorder.reports.last?.outcome == outcome)
            }
        }

        @Test("a stop before the first answer ends at once, and one before the start keeps what there was")
        func stopEarly() async throws {
            try await Bench.run(handler: { _, connection in connection.waitForClient() }) { bench, server in
                let resume = try bench.leavePartial(Self.file.bytes[..<1000], total: 3_000_000, tag: "\"v1\"")
                let (id, recorder) = bench.start(bench.specification(server.url("/f")), resume: resume)
                bench.executor.stop(id)
                #expect(await recorder.outcome() == .stopped(resume))
                let (other, second) = bench.start(bench.specification(server.url("/f")))
                bench.executor.stop(other)
                #expect(await second.outcome() == .stopped(nil))
            }
        }

        @Test("a server that never stops sending delivers nothing after the end")
        func noLateBytes() async throws {
            try await Bench.run(handler: { _, connection in
                connection.send("HTTP/1.1 200 OK\r\nETag: \"x\"\r\n\r\n")
                while connection.send([UInt8](repeating: 7, count: 65536)) {}
            }) { bench, server in
                for _ in 0..<5 {
                    let (id, recorder) = bench.start(bench.specification(server.url("/f")))
                    await recorder.wait { $0.contains { ($0.progress ?? 0) > 2_000_000 } }
                    bench.executor.stop(id)
                    let resume = try #require(await recorder.outcome().resume)
                    let count = recorder.reports.count
                    let size = FileFacts(path: resume.path)?.size
                    #expect(resume.offset == size)
                    // A complete run of another transfer lies in between, so any late reports would have arrived by
                    // now.
                    let (next, second) = bench.start(bench.specification(server.url("/f")))
                    await second.wait { $0.contains { ($0.progress ?? 0) > 1_000_000 } }
                    bench.executor.stop(next)
                    _ = await second.outcome()
                    #expect(recorder.reports.count == count)
                    #expect(FileFacts(path: resume.path)?.size == size)
                }
            }
        }

        @Test("a rate limit holds until the stop, which does not wait for what it holds back")
        func rateLimit() async throws {
            try await Bench.run(configure: { $0.limits.global = 1_000_000 }, handler: Self.file.serve) {
                bench, server in
                let clock = ContinuousClock()
                let (id, recorder) = bench.start(bench.specification(server.url("/f")))
                let start = clock.now
                await recorder.wait { $0.contains { ($0.progress ?? 0) > 500_000 } }
                #expect(clock.now - start > .milliseconds(350))
                // At this rate, the next bytes would be due in half an hour.
                bench.executor.setLimits(RateLimits(global: 10))
                bench.executor.stop(id)
                _ = await recorder.outcome()
            }
        }

        @Test("shutdown stops everything, and later starts end as stopped")
        func shutdown() async throws {
            try await Bench.run(handler: Self.stalling) { bench, server in
                let recorders = (0..<10).map { _ in bench.start(bench.specification(server.url("/f"))).recorder }
                for recorder in recorders { await recorder.wait { $0.contains { $0.progress == 1_065_536 } } }
                await bench.executor.shutdown()
                #expect(recorders.allSatisfy { $0.isOver })
                let (_, late) = bench.start(bench.specification(server.url("/f")))
                #expect(await late.outcome() == .stopped(nil))
            }
        }

        @Test("a second start of a running transfer fails and leaves the first alone")
        func twice() async throws {
            try await Bench.run(handler: Self.stalling) { bench, server in
                let (id, recorder) = bench.start(bench.specification(server.url("/f")))
                await recorder.wait { $0.contains { $0.progress == 1_065_536 } }
                let second = Recorder()
                let job = TransferJob(id: id, specification: bench.specification(server.url("/f")), resume: nil)
                bench.executor.start(job, reporting: second.report)
                #expect(await second.outcome().failure?.cause == .executorLost)
                #expect(!recorder.isOver)
            }
        }

        @Test("many at once all arrive", arguments: [true, false])
        func many(repaired: Bool) async throws {
            let small = ServedFile(bytes: ServedFile.content(100_000))
            try await Bench.run(repaired: repaired, handler: small.serve) { bench, server in
                let recorders = (0..<100).map { _ in bench.start(bench.specification(server.url("/f"))).recorder }
                for recorder in recorders { #expect(bench.contents(await recorder.outcome()) == small.bytes) }
                let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
                #expect(names.count == 100)
                #expect(names.contains("file (99)"))
                #expect(bench.leftovers.isEmpty)
            }
        }

        @Test("a discarded transfer leaves nothing, and nothing else can be removed that way")
        func discard() async throws {
            try await Bench.run(handler: Self.stalling) { bench, server in
                let (id, recorder) = bench.start(bench.specification(server.url("/f")))
                await recorder.wait { $0.contains { $0.progress == 1_065_536 } }
                bench.executor.stop(id)
                let resume = try #require(await recorder.outcome().resume)
                #expect(FileFacts(path: resume.path) != nil)
                bench.discard(resume)
                bench.discard(resume)
                #expect(bench.leftovers.isEmpty)
                var other = resume
                other.path = bench.root + "/precious"
                try Data([1]).write(to: URL(fileURLWithPath: other.path))
                bench.discard(other)
                #expect(FileFacts(path: other.path) != nil)
            }
        }
    }
}
