// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Foundation
import HostileServer
import Testing
import TransferEngine
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct StopTests {
        private static let file = ServedFile(bytes: ServedFile.content(3_000_000))

        /// Sends what is asked for, but after the first range only the first million bytes, and then nothing.
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
                // What the store would hold: the last checkpoint, and no word of the end.
                let (again, _) = await bench.run(specification, resume: resume)
                #expect(again.completion?.file == placed)
                #expect(server.requests.count == asked)
                #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder) == ["file"])
                // Another file of that name is not taken for it.
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
                    // Another transfer's whole life lies between: what was on its way would have come.
                    let (next, second) = bench.start(bench.specification(server.url("/f")))
                    await second.wait { $0.contains { ($0.progress ?? 0) > 1_000_000 } }
                    bench.executor.stop(next)
                    _ = await second.outcome()
                    #expect(recorder.reports.count == count)
                    #expect(FileFacts(path: resume.path)?.size == size)
                }
            }
        }

        @Test("a stop is prompt under a rate limit, and the limit holds")
        func rateLimit() async throws {
            try await Bench.run(configure: { $0.limits.global = 1_000_000 }, handler: Self.file.serve) {
                bench, server in
                let clock = ContinuousClock()
                let (id, recorder) = bench.start(bench.specification(server.url("/f")))
                let start = clock.now
                await recorder.wait { $0.contains { ($0.progress ?? 0) > 500_000 } }
                #expect(clock.now - start > .milliseconds(350))
                let stop = clock.now
                bench.executor.stop(id)
                _ = await recorder.outcome()
                #expect(clock.now - stop < .milliseconds(500))
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
                bench.executor.discard(resume)
                bench.executor.discard(resume)
                #expect(bench.leftovers.isEmpty)
                var other = resume
                other.path = bench.root + "/precious"
                try Data([1]).write(to: URL(fileURLWithPath: other.path))
                bench.executor.discard(other)
                #expect(FileFacts(path: other.path) != nil)
            }
        }
    }
}
