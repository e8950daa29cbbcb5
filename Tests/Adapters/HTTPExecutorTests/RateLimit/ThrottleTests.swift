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
        private static func start(_ fixture: ExecutorFixture, _ server: HostileServer, _ limits: [Int64?]) -> [(
            id: TransferID, recorder: Recorder
        )] {
            limits.map { limit in
                var specification = fixture.specification(server.url("/f"))
                specification.rateLimit = limit
                return fixture.start(specification)
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

        @Test("A transfer's limit applies to that transfer and does not delay another")
        func own() async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                let runs = Self.start(fixture, server, [400_000, nil])
                let time = await Self.time(of: runs[0].recorder, from: 200_000, bytes: 800_000)
                // The transfer must not be faster, however busy the machine is. The benchmark rate-limit measures the
                // accuracy.
                #expect(time > .milliseconds(1600))
                #expect((runs[1].recorder.reports.compactMap(\.progress).last ?? 0) > 20_000_000)
            }
        }

        @Test("A global limit applies to many transfers, is shared evenly, and can be changed while they run")
        func global() async throws {
            // A report for each block would take longer than the transfers.
            let configure = { (configuration: inout HTTPExecutorConfiguration) in
                configuration.limits.global = 4_000_000
                configuration.progressInterval = .milliseconds(20)
            }
            try await ExecutorFixture.run(configure: configure, handler: Self.serve) { fixture, server in
                let runs = Self.start(fixture, server, [nil, nil, nil, nil])
                let time = await Self.time(of: runs[0].recorder, from: 500_000, bytes: 1_000_000)
                #expect(time > .milliseconds(750))
                let shares = runs.map { $0.recorder.reports.compactMap(\.progress).last ?? 0 }
                #expect((shares.min() ?? 0) * 3 > (shares.max() ?? 0))
                // At the earlier rate, the next bytes would not arrive within the test's time limit. Without any, the
                // files could arrive before a busy machine takes notice.
                fixture.executor.setLimits(RateLimits(global: 100_000_000))
                _ = await Self.time(of: runs[3].recorder, from: 0, bytes: 200_000_000)
                // The rate is reduced again. No transfer may stand still because of its earlier rate.
                fixture.executor.setLimits(RateLimits(global: 16_000_000))
                // Bytes that are on their way to the disk come first.
                _ = await Self.time(of: runs[1].recorder, from: 0, bytes: 9_000_000)
                let again = await Self.time(of: runs[1].recorder, from: 0, bytes: 4_000_000)
                #expect(again > .milliseconds(700))
            }
        }

        @Test("An app's limit applies to its own transfers", arguments: [true, false])
        func app(usesCurl: Bool) async throws {
            try await ExecutorFixture.run(
                usesCurl: usesCurl, configure: { $0.limits.perApp = ["a": 1_000_000] }, handler: Self.serve
            ) { fixture, server in
                var specification = fixture.specification(server.url("/f"))
                specification.traits.app = "a"
                let run = fixture.start(specification)
                #expect(await Self.time(of: run.recorder, from: 200_000, bytes: 1_000_000) > .milliseconds(800))
            }
        }

        @Test("Many small files together respect a limit")
        func small() async throws {
            let file = ServedFile(bytes: ServedFile.content(16384))
            try await ExecutorFixture.run(configure: { $0.limits.global = 1_000_000 }, handler: file.serve) {
                fixture, server in
                let clock = ContinuousClock()
                let start = clock.now
                for _ in 0..<10 {
                    let runs = (0..<8).map { _ in fixture.start(fixture.specification(server.url("/f"))).recorder }
                    for run in runs { #expect(await run.outcome().completion != nil) }
                }
                // The files have 1.3 MB in total. One round of 8 files may arrive before any limit applies.
                #expect(clock.now - start > .milliseconds(1000))
            }
        }

        @Test("Delays that the rate limit causes are not attributed to the server")
        func slow() async throws {
            try await ExecutorFixture.run(
                configure: {
                    $0.lowSpeedSeconds = 1
                    $0.lowSpeedBytes = 100_000
                }, handler: Self.serve
            ) { fixture, server in
                let runs = Self.start(fixture, server, [20_000])
                await runs[0].recorder.wait { $0.contains { ($0.progress ?? 0) >= 60_000 || $0.outcome != nil } }
                #expect(!runs[0].recorder.isEnded)
            }
        }

        @Test("A delayed transfer stops promptly")
        func stop() async throws {
            try await ExecutorFixture.run(handler: Self.serve) { fixture, server in
                // At this rate, the next block would not be due within the test's time limit.
                let runs = Self.start(fixture, server, [100])
                await runs[0].recorder.wait { $0.contains { ($0.progress ?? 0) > 0 } }
                fixture.executor.stop(runs[0].id)
                _ = await runs[0].recorder.outcome()
            }
        }
    }
}
