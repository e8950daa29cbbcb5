// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
@testable import TransferPolicy

@Suite("The rates that connections have shown")
struct ThroughputHistoryTests {
    private func report(
        _ meter: inout ThroughputMeter, _ history: inout ThroughputHistory, _ bytes: Int64, from: Double, to: Double,
        on connection: String = "home"
    ) {
        meter.record(
            bytes, since: Sample.now.instant.advanced(by: .seconds(from)), at: Sample.now.advanced(by: .seconds(to)),
            on: connection, in: &history)
    }

    @Test("Reports of transfers that run together add up to one rate")
    func sum() {
        var (meter, history) = (ThroughputMeter(), ThroughputHistory())
        report(&meter, &history, 1000, from: 0, to: 1)
        report(&meter, &history, 3000, from: 0, to: 1)
        #expect(history.rate(on: "home") == nil)
        report(&meter, &history, 4000, from: 1, to: 2)
        #expect(history.rate(on: "home") == 4000)
        report(&meter, &history, 16_000, from: 2, to: 4)
        #expect(history.rate(on: "home") == 5000)
    }

    @Test("Time without transfers and bytes on another connection do not count")
    func gaps() {
        var (meter, history) = (ThroughputMeter(), ThroughputHistory())
        report(&meter, &history, 1000, from: 0, to: 1)
        report(&meter, &history, 9000, from: 100, to: 103)
        #expect(history.rate(on: "home") == 3000)
        report(&meter, &history, 1000, from: 103, to: 104)
        report(&meter, &history, 40, from: 103, to: 107, on: "phone")
        #expect(history.rate(on: "phone") == 10)
        #expect(history.rate(on: "home") == 3000)
    }

    @Test("The connection that was used longest ago is forgotten, and a stored history is read again")
    func limit() throws {
        var history = ThroughputHistory()
        for number in 0...ThroughputHistory.limit {
            history.add(5, in: .seconds(1), on: "\(number)", at: Sample.monday.advanced(by: .seconds(number)))
        }
        #expect(history.count == ThroughputHistory.limit)
        #expect(history.rate(on: "0") == nil && history.rate(on: "1") == 5)
        var all = PolicyHistory()
        all.throughput = history
        #expect(try JSONDecoder().decode(PolicyHistory.self, from: JSONEncoder().encode(all)).throughput == history)
        // As an earlier version wrote it.
        #expect(try JSONDecoder().decode(PolicyHistory.self, from: Data("{}".utf8)) == PolicyHistory())
    }
}
