// SPDX-License-Identifier: Apache-2.0
import BackgroundTransferEmbedded
import Foundation
import InMemoryLogging
import Logging
import MetricsTestKit
import Testing
import TransferTesting

@Suite("Reports of why a service's transfers wait", .serialized, .timeLimit(.minutes(5)))
struct WaitReportTests {
    @Test("Every change of every transfer is in the stream, the log, and the gauges")
    func changes() async throws {
        let fixture = try ServiceFixture(isMetered: true)
        defer { fixture.removeFolder() }
        try await fixture.run {
            let ids = try await fixture.service.submit(
                (0..<150).map { try fixture.specification("\($0)", kind: .discretionary) })
            var waits = fixture.service.waits().makeAsyncIterator()
            var waiting: Set<TransferID> = []
            while waiting.count < ids.count, let wait = await waits.next(isolation: nil) {
                #expect(wait.sentence.hasPrefix("the network is metered"))
                #expect(wait.explanation.reasons.map(\.reason.code) == ["metered"])
                waiting.insert(wait.id)
            }
            #expect(waiting == Set(ids))
            #expect(fixture.gauge("metered") == 150)
            #expect(try await fixture.service.list().allSatisfy { $0.sentence?.contains("metered") == true })

            fixture.setMetered(false)
            var next = await waits.next(isolation: nil)
            #expect(next?.explanation.reasons.map(\.reason.code) == ["settling"])
            try await fixture.service.cancel(ids[0])
            // A later consumer begins with the present reasons.
            var later = fixture.service.waits().makeAsyncIterator()
            next = await later.next(isolation: nil)
            // The end of the canceled transfer may be reported after the consumer has begun.
            if next?.id == ids[0] { next = await later.next(isolation: nil) }
            #expect(next?.id == ids[1])
        }
        #expect(fixture.gauge("metered") == 0)
        let lines = fixture.log.entries.filter { $0.message == "waiting" }
        #expect(lines.count >= 300 && lines.allSatisfy { $0.level == .info })
        #expect(lines.first?.metadata["why"].map { "\($0)" }?.hasPrefix("the network is metered") == true)
        var ended = fixture.service.waits().makeAsyncIterator()
        while await ended.next(isolation: nil) != nil {}
    }

    @Test("Beyond the limit, transfers are reported when earlier ones have ended")
    func limit() async throws {
        let fixture = try ServiceFixture(isMetered: true) { $0.explainedTransfers = 1 }
        defer { fixture.removeFolder() }
        try await fixture.run {
            let first = try await fixture.service.submit(fixture.specification("a", kind: .discretionary))
            let second = try await fixture.service.submit(fixture.specification("b", kind: .discretionary))
            var waits = fixture.service.waits().makeAsyncIterator()
            #expect(await waits.next(isolation: nil)?.id == first)
            // A follower of the second transfer does not end the reports about the first.
            for await _ in try await fixture.service.updates(of: first) { break }
            fixture.setMetered(false)
            #expect(await waits.next(isolation: nil)?.explanation.reasons.map(\.reason.code) == ["settling"])
            #expect(fixture.gauge("metered") == 0)
            try await fixture.service.cancel(first)
            #expect(await waits.next(isolation: nil)?.id == second)
        }
    }
}

extension ServiceFixture {
    /// The last value of the gauge for a reason.
    fileprivate func gauge(_ code: String) -> Double? {
        try? metrics.expectGauge("transfer.waiting", [("reason", code)]).lastValue
    }
}
