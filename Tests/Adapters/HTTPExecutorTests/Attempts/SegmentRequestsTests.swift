// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import HTTPExecutor

struct SegmentRequestsTests {
    private static let second: UInt64 = 1_000_000_000

    /// The receiver of exchanges that are never sent.
    private actor Receiver: ExchangeReceiver {
        nonisolated let consumer = ConsumerExecutor()
        nonisolated var unownedExecutor: UnownedSerialExecutor { consumer.asUnownedSerialExecutor() }
        func exchange(_ exchange: Exchange, received head: ResponseHead) {}
        func exchange(_ exchange: Exchange, received bytes: Data) {}
        func exchange(_ exchange: Exchange, endedWith failure: TransportError?) {}
    }

    @Test("Each segment has its own silence limit, and time while the process was stopped does not count")
    func silence() {
        let receiver = Receiver()
        let exchanges = (0..<3).map { _ in Exchange(receiver: receiver) }
        var segments = SegmentRequests()
        segments.add(exchanges[0], for: 7, now: 100 * Self.second)
        segments.add(exchanges[1], for: 8, now: 100 * Self.second)
        func silent(_ now: UInt64) -> [Int] { segments.silent(seconds: 10) { now * Self.second - $0 } }
        let active = segments.recordActivity(of: exchanges[1], now: 105 * Self.second)
        #expect(active == 8)
        let unknown = segments.recordActivity(of: exchanges[2], now: 105 * Self.second)
        #expect(unknown == nil)
        #expect(silent(109) == [])
        #expect(silent(110) == [7])
        #expect(silent(115) == [7, 8])
        segments.exclude(6 * Self.second, now: 115 * Self.second)
        #expect(silent(115) == [])
        #expect(silent(116) == [7])
        // The limit may be any number that an app saved.
        #expect(segments.silent(seconds: .max) { 116 * Self.second - $0 } == [])
    }

    @Test("An exchange is found by its segment until it ends")
    func removal() {
        let receiver = Receiver()
        let (first, second) = (Exchange(receiver: receiver), Exchange(receiver: receiver))
        var segments = SegmentRequests()
        segments.add(first, for: 1, now: 0)
        segments.add(second, for: 2, now: 0)
        #expect(segments.exchanges(for: 2).map { $0 === second } == [true])
        let removed = [segments.remove(second), segments.remove(second)]
        #expect(removed == [2, nil])
        #expect(segments.exchanges(for: 2).isEmpty && !segments.isEmpty)
        #expect(segments.exchanges.count == 1)
    }
}
