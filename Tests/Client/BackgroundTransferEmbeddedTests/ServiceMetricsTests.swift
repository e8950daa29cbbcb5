// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing
import TransferTesting

@Suite("Metrics and logs of a service", .serialized, .timeLimit(.minutes(5)))
struct ServiceMetricsTests {
    @Test("The factory of the configuration receives the engine's counters and timers")
    func metrics() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification("a"))
            await fixture.waitForStart(of: id)
            fixture.executor.answer(id, after: .milliseconds(3))
            fixture.executor.progress(id, to: 40)
            fixture.executor.progress(id, to: 100)
            fixture.executor.fail(id, .status(503))
            for await status in try await fixture.service.updates(of: id) where status.state == .waiting { break }
            try await fixture.service.resume(id)
            await fixture.waitForStart(of: id)
            // Bytes that are fetched again are counted again.
            fixture.executor.restart(id)
            fixture.executor.progress(id, to: 7)
            fixture.executor.finish(id)
            _ = try await fixture.service.completion(of: id)
            _ = try await fixture.finish(fixture.specification("b"), status: 404)
        }
        let metrics = fixture.metrics
        #expect(metrics.counterTotal(label: "transfer.attempts") == 3)
        #expect(metrics.counterTotal(label: "transfer.received") == 107)
        #expect(metrics.counterTotal(label: "transfer.retries", dimensions: [("cause", "status503")]) == 1)
        #expect(metrics.counterTotal(label: "transfer.endings", dimensions: [("result", "finished")]) == 1)
        #expect(metrics.counterTotal(label: "transfer.endings", dimensions: [("result", "refused")]) == 1)
        #expect(try metrics.expectTimer("transfer.first_byte").values == [3_000_000])
    }

    @Test("The log contains submissions, retries, and ends, without passwords and queries")
    func log() async throws {
        let fixture = try ServiceFixture()
        defer { fixture.removeFolder() }
        try await fixture.run {
            let id = try await fixture.service.submit(fixture.specification("a?secret"))
            await fixture.waitForStart(of: id)
            fixture.executor.fail(id, .timeout)
            for await status in try await fixture.service.updates(of: id) where status.state == .waiting { break }
            try await fixture.service.resume(id)
            await fixture.waitForStart(of: id)
            fixture.executor.finish(id, status: 404)
            await #expect(throws: TransferServiceError.self) { try await fixture.service.completion(of: id) }
        }
        let entries = fixture.log.entries
        #expect(entries.map(\.message) == ["submitted", "will retry", "failed"])
        #expect(entries.allSatisfy { $0.level == .info && $0.metadata["url"] == "https://example.org/a" })
        #expect(entries.last?.metadata["why"] == "the server answered 404")
        #expect(!"\(entries)".contains("secret"))
    }
}
