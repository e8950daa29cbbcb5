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
    struct ThrottleTests {
        /// Serves 1 GB of constant bytes as fast as the client reads them.
        private static let serve: HostileServer.Handler = { request, connection in
            let total = 1_000_000_000
            let first = request.range?.first ?? 0
            let last = min(request.range?.last ?? .max, total - 1)
            connection.send(
                "HTTP/1.1 206 Partial Content\r\nETag: \"v\"\r\nContent-Range: bytes \(first)-\(last)/\(total)\r\n"
                    + "Content-Length: \(last - first + 1)\r\n\r\n")
            var left = last - first + 1
            while left > 0, connection.send(Self.block.prefix(left)) { left -= min(left, Self.block.count) }
        }
        private static let block = [UInt8](repeating: 7, count: 65536)

        /// Starts a transfer for each limit.
        private static func start(_ bench: Bench, _ server: HostileServer, _ limits: [Int64?]) -> [(
            id: TransferID, recorder: Recorder
        )] {
            limits.map { limit in
                var specification = bench.specification(server.url("/f"))
                specification.rateLimit = limit
                return bench.start(specification)
            }
        }

        /// Returns the duration of the next `bytes` of a transfer, measured once its progress has reached `start`.
        private static func time(of recorder: Recorder, from start: Int64, bytes: Int64) async -> Duration {
            let clock = ContinuousClock()
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= start } }
            let begin = (clock.now, recorder.reports.compactMap(\.progress).last ?? 0)
            await recorder.wait { $0.contains { ($0.progress ?? 0) >= begin.1 + bytes } }
            return clock.now - begin.0
        }

        @Test("a transfer's own limit holds, and another beside it is not held up by it")
        func own() async throws {
            try await Bench.run(handler: Self.serve) { bench, server in
                let runs = Self.start(bench, server, [400_000, nil])
                let time = await Self.time(of: runs[0].recorder, from: 200_000, bytes: 800_000)
                // The transfer must not be faster, however busy the machine is. The benchmark rate-limit measures the
                // accuracy.
                #expect(time > .milliseconds(1600))
                #expect((runs[1].recorder.reports.compactMap(\.progress).last ?? 0) > 20_000_000)
                // The field that names the lane is for the repair only.
                #expect(server.requests.allSatisfy { $0.fields.allSatisfy { !$0.name.lowercased().contains("lane") } })
            }
        }

        @Test(
            "the fields for the repair go to no server, whoever gives them and whether there is a repair",
            arguments: [true, false])
        func fields(repaired: Bool) async throws {
            let file = ServedFile(bytes: ServedFile.content(100_000))
            try await Bench.run(
                repaired: repaired, configure: { $0.limits.global = 10_000_000 }, handler: file.serve
            ) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.headers = [
                    HeaderField(name: "x-transfer-lane-4C1E", value: "1"), HeaderField(name: "X-Other", value: "2"),
                ]
                let outcome = await bench.run(specification).0
                #expect(bench.contents(outcome) == file.bytes)
                #expect(server.requests.count == 2)
                for request in server.requests {
                    #expect(request.value("X-Other") == "2")
                    #expect(request.fields.allSatisfy { !$0.name.lowercased().contains("lane") })
                }
            }
        }

        @Test("a global limit holds over many and is shared evenly; it can be changed while they run")
        func global() async throws {
            try await Bench.run(configure: { $0.limits.global = 4_000_000 }, handler: Self.serve) { bench, server in
                let runs = Self.start(bench, server, [nil, nil, nil, nil])
                let time = await Self.time(of: runs[0].recorder, from: 500_000, bytes: 1_000_000)
                #expect(time > .milliseconds(750))
                let shares = runs.map { $0.recorder.reports.compactMap(\.progress).last ?? 0 }
                #expect((shares.min() ?? 0) * 3 > (shares.max() ?? 0))
                bench.executor.setLimits(RateLimits())
                // At the earlier rate, these bytes would not arrive within the test's time limit.
                _ = await Self.time(of: runs[3].recorder, from: 0, bytes: 200_000_000)
                // The rate is reduced again. No transfer may stand still because of its earlier rate.
                bench.executor.setLimits(RateLimits(global: 16_000_000))
                // Bytes that are on their way to the disk come first.
                _ = await Self.time(of: runs[1].recorder, from: 0, bytes: 9_000_000)
                let again = await Self.time(of: runs[1].recorder, from: 0, bytes: 4_000_000)
                #expect(again > .milliseconds(700))
            }
        }

        @Test("an app's limit binds its own transfers", arguments: [true, false])
        func app(repaired: Bool) async throws {
            try await Bench.run(
                repaired: repaired, configure: { $0.limits.perApp = ["a": 1_000_000] }, handler: Self.serve
            ) { bench, server in
                var specification = bench.specification(server.url("/f"))
                specification.traits.app = "a"
                let run = bench.start(specification)
                #expect(await Self.time(of: run.recorder, from: 200_000, bytes: 1_000_000) > .milliseconds(800))
            }
        }

        @Test("many small files cannot slip through below a limit")
        func small() async throws {
            let file = ServedFile(bytes: ServedFile.content(16384))
            try await Bench.run(configure: { $0.limits.global = 1_000_000 }, handler: file.serve) { bench, server in
                let clock = ContinuousClock()
                let start = clock.now
                for _ in 0..<10 {
                    let runs = (0..<8).map { _ in bench.start(bench.specification(server.url("/f"))).recorder }
                    for run in runs { #expect(await run.outcome().completion != nil) }
                }
                // The files have 1.3 MB in total. One round of 8 files may arrive before any limit applies.
                #expect(clock.now - start > .milliseconds(1000))
            }
        }

        @Test("time in which a transfer is held is not held against the server")
        func slow() async throws {
            try await Bench.run(
                configure: {
                    $0.lowSpeedSeconds = 1
                    $0.lowSpeedBytes = 100_000
                }, handler: Self.serve
            ) { bench, server in
                let runs = Self.start(bench, server, [20_000])
                await runs[0].recorder.wait { $0.contains { ($0.progress ?? 0) >= 60_000 || $0.outcome != nil } }
                #expect(!runs[0].recorder.isOver)
            }
        }

        @Test("a stop of a held transfer is prompt")
        func stop() async throws {
            try await Bench.run(handler: Self.serve) { bench, server in
                // At this rate, the next block would not be due within the test's time limit.
                let runs = Self.start(bench, server, [100])
                await runs[0].recorder.wait { $0.contains { ($0.progress ?? 0) > 0 } }
                bench.executor.stop(runs[0].id)
                _ = await runs[0].recorder.outcome()
            }
        }
    }
}
