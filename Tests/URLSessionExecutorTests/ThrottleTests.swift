// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import HostileServer
import Synchronization
import Testing
import TransferEngine
import TransferPolicy

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct ThrottleTests {
        /// A file of 1 GB of nothing, as fast as it is taken.
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

        /// Bytes a second over the time in which all of them ran: from the first megabyte or so to the last report.
        private static func rates(_ bench: Bench, _ url: String, limits: [Int64?], seconds: Int) async -> [Double] {
            let runs = limits.map { limit in
                var specification = bench.specification(url)
                specification.rateLimit = limit
                return bench.start(specification)
            }
            func bytes() -> [Int64] { runs.map { $0.recorder.reports.compactMap(\.progress).last ?? 0 } }
            let clock = ContinuousClock()
            try? await clock.sleep(for: .milliseconds(1500))
            let (start, before) = (clock.now, bytes())
            try? await clock.sleep(for: .seconds(seconds))
            let (end, after) = (clock.now, bytes())
            for run in runs { bench.executor.stop(run.id) }
            for run in runs { _ = await run.recorder.outcome() }
            let elapsed = (end - start) / .seconds(1)
            return zip(before, after).map { Double($1 - $0) / elapsed }
        }

        @Test("trial")
        func trial() async throws {
            for repaired in [true, false] {
                for (global, own) in [
                    (200_000, [nil]), (2_000_000, [nil]), (20_000_000, [nil]),
                    (200_000, [Int64?](repeating: nil, count: 8)), (2_000_000, [Int64?](repeating: nil, count: 8)),
                    (20_000_000, [Int64?](repeating: nil, count: 8)), (2_000_000, [100_000, 300_000, nil, nil]),
                    (nil, [100_000, 3_000_000]),
                ] as [(Int64?, [Int64?])] {
                    try await Bench.run(
                        repaired: repaired, configure: { $0.limits.global = global }, handler: Self.serve
                    ) { bench, server in
                        let before = clock()
                        let rates = await Self.rates(bench, server.url("/f"), limits: own, seconds: 4)
                        let cpu = Double(clock() - before) / 1e6
                        print("TRIAL", repaired, global ?? 0, own.map { $0 ?? 0 }, "->", rates.map { Int($0) }, "sum", Int(rates.reduce(0, +)), "cpu", cpu)
                        #expect(server.requests.allSatisfy { $0.fields.allSatisfy { !$0.name.lowercased().contains("lane") } })
                    }
                }
            }
        }
    }
}
