// SPDX-License-Identifier: Apache-2.0
import GRDB
import Synchronization
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferTesting

@testable import SQLiteStore

@Suite("SQLiteStore: history", .timeLimit(.minutes(2)))
struct HistoryTests {
    private func time(_ seconds: Int64) -> WallTime { WallTime(secondsSinceEpoch: 1_795_392_000 + seconds) }

    private func conditions(
        _ power: PowerSource, level: Int? = nil, metered: Metered = .no, sleep: SleepState = .awake
    ) -> Conditions {
        let since = ClockReading(instant: .zero, wall: time(0))
        var conditions = Conditions(unknownSince: since)
        conditions.power = Fact(power, source: .upower, since: since)
        conditions.battery = Fact(BatteryState(level: level), source: .upower, since: since)
        conditions.network = Fact(.full, source: .kernel, since: since)
        conditions.linkKind = Fact(.wifi, source: .kernel, since: since)
        conditions.metered = Fact(metered, source: .networkManager, since: since)
        conditions.sleep = Fact(sleep, source: .logind, since: since)
        return conditions
    }

    /// Returns spans in a short form: `0-60 battery 50 no`.
    private func text(_ spans: [ConditionSpan]) -> [String] {
        let zero = time(0)
        func seconds(_ time: WallTime) -> Int64 { zero.duration(to: time).components.seconds }
        return spans.map { span in
            let values = span.values
            return "\(seconds(span.start))-\(span.end.map { "\(seconds($0))" } ?? "") \(values.power) "
                + "\(values.batteryLevel.map { "\($0)" } ?? "-") \(values.metered)\(values.isSuspended ? " suspended" : "")"
        }
    }

    @Test("Conditions are returned as spans, one for each significant change")
    func spans() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        store.record(conditions(.battery, level: 50), at: time(0))
        store.record(conditions(.battery, level: 50), at: time(10))
        store.record(conditions(.battery, level: 46), at: time(20))
        store.record(conditions(.battery, level: 45), at: time(30))
        store.record(conditions(.ac, level: 45), at: time(60))
        store.record(conditions(.ac, level: 45, metered: .yes), at: time(90))
        store.record(conditions(.ac, level: 45, metered: .yes, sleep: .aboutToSleep), at: time(100))
        let all = [
            "0-30 battery 50 no", "30-60 battery 45 no", "60-90 ac 45 no", "90-100 ac 45 yes",
            "100- ac 45 yes suspended",
        ]
        #expect(text(try await store.history(since: time(-100)).conditions) == all)
        #expect(text(try await store.history(since: time(60)).conditions) == Array(all[2...]))
        #expect(text(try await store.history(since: time(70)).conditions) == Array(all[2...]))
        let beside = try fixture.open()
        #expect(text(try await beside.history(since: time(0)).conditions) == all)
        await store.close()
        #expect(try await beside.history(since: time(0)).conditions.last?.end != nil)
    }

    @Test("There is a gap while nothing was watched, after a crash from the last record on")
    func gaps() async throws {
        let fixture = try StoreFixture()
        let first = try fixture.open()
        first.record(conditions(.ac), at: time(0))
        first.recordEndOfWatch(at: time(10))
        first.recordEndOfWatch(at: time(11))
        await first.close()
        let second = try fixture.open()
        second.record(conditions(.battery), at: time(50))
        try await second.commit([.inserted(StoredTransferSamples.plain(1))])
        second.record(TransferHistoryEvent(id: TransferID(1), time: time(70), kind: .started))
        // The state that a crash leaves.
        second.watch.withLock { $0 = nil }
        await second.close()
        let third = try fixture.open()
        third.record(conditions(.ac), at: time(100))
        // The clock was set back.
        third.record(conditions(.battery), at: time(90))
        third.record(conditions(.ac), at: time(120))
        #expect(
            text(try await third.history(since: time(0)).conditions) == [
                "0-10 ac - no", "50-70 battery - no", "100-100 ac - no", "100-120 battery - no", "120- ac - no",
            ])
    }

    @Test("A transfer's events are returned in order, its submission first, without secrets")
    func events() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        let submitted = transfer.specification.traits.submitted
        let events = [
            TransferHistoryEvent(id: transfer.id, time: submitted.advanced(by: .seconds(1)), kind: .started),
            TransferHistoryEvent(
                id: transfer.id, time: submitted.advanced(by: .seconds(2)), kind: .paused, message: "power"),
            TransferHistoryEvent(id: transfer.id, time: submitted.advanced(by: .seconds(3)), kind: .started),
            TransferHistoryEvent(id: transfer.id, time: submitted.advanced(by: .seconds(4)), kind: .finished),
        ]
        for event in events { store.record(event) }
        let expected = RecordedTransfer(
            id: transfer.id, specification: transfer.specification.redacted, ending: nil,
            events: [TransferHistoryEvent(id: transfer.id, time: submitted, kind: .submitted)] + events)
        #expect(try await store.history(of: transfer.id) == expected)
        #expect(try await store.history(of: TransferID(9)) == nil)
        // The other transfer was submitted long before.
        #expect(try await store.history(since: submitted).transfers == [expected])
        #expect(try await store.history(since: submitted.advanced(by: .seconds(4))).transfers == [expected])
        #expect(try await store.history(since: submitted.advanced(by: .seconds(5))).transfers == [])
        #expect(try await store.history(since: WallTime(secondsSinceEpoch: 0)).transfers.map(\.id.rawValue) == [1, 2])
    }

    @Test("Pages together contain what one page would: nothing is missing or duplicated")
    func pages() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        for number in 1...5 as ClosedRange<Int64> {
            let transfer = StoredTransferSamples.plain(number)
            try await store.commit([.inserted(transfer)])
            for second in 1...number {
                store.record(
                    TransferHistoryEvent(id: transfer.id, time: time(second), kind: .retried, message: "\(second)"))
            }
        }
        for second in 0..<7 as Range<Int64> {
            store.record(conditions(second.isMultiple(of: 2) ? .ac : .battery), at: time(second))
            if second == 3 { store.recordEndOfWatch(at: time(3).advanced(by: .milliseconds(500))) }
        }
        let whole = try await store.history(since: time(-1000))
        #expect(whole.transfers.map(\.events.count) == [2, 3, 4, 5, 6] && whole.conditions.count == 7)
        #expect(whole.next == nil)
        for size in 1...8 {
            for events in [1, 4, 1000] {
                var together = History()
                var from: History.Position? = .start
                var pages = 0
                while let begin = from, pages < 100 {
                    let page = try await store.history(
                        since: time(-1000), from: begin,
                        size: History.PageSize(transfers: size, events: events, spans: size))
                    #expect(page.transfers.count <= size && page.conditions.count <= size)
                    together.transfers += page.transfers
                    together.conditions += page.conditions
                    from = page.next
                    pages += 1
                }
                #expect(together == whole, "pages of \(size), \(events) events")
            }
        }
        // A start after the beginning of the history.
        let late = try await store.history(since: time(5), size: History.PageSize(spans: 1))
        #expect(late.transfers.map(\.id.rawValue) == [5] && text(late.conditions) == ["5-6 battery - no"])
    }

    @Test("An app's pages contain its transfers and no conditions, from any position")
    func pagesOfAnApp() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        store.record(conditions(.ac), at: time(0))
        try await store.commit([.inserted(StoredTransferSamples.full(1)), .inserted(StoredTransferSamples.plain(2))])
        let (mine, other) = (
            StoredTransferSamples.full(1).specification.traits.app,
            StoredTransferSamples.plain(2).specification.traits.app
        )
        try #require(mine != other)
        let begin = WallTime(secondsSinceEpoch: 0)
        let page = try await store.history(since: begin, of: mine, size: History.PageSize(transfers: 1))
        #expect(page.transfers.map(\.id.rawValue) == [1] && page.conditions.isEmpty)
        let next = try await store.history(
            since: begin, from: try #require(page.next), of: mine, size: History.PageSize(transfers: 1))
        #expect(next.transfers.isEmpty && next.conditions.isEmpty)
        let conditions = try await store.history(since: begin, from: .conditions(after: 0), of: mine)
        #expect(conditions == History())
    }

    @Test("Of a transfer with thousands of events, the newest are returned")
    func manyEvents() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let transfer = StoredTransferSamples.plain(1)
        try await store.commit([.inserted(transfer)])
        for second in 1...1500 as ClosedRange<Int64> {
            store.record(TransferHistoryEvent(id: transfer.id, time: time(second), kind: .started))
        }
        let events = try #require(try await store.history(of: transfer.id)).events
        #expect(events.count == 1001 && events.first?.kind == .submitted)
        #expect(events.dropFirst().first?.time == time(501) && events.last?.time == time(1500))
    }

    @Test("A cleared transfer is in no list, and its history stays as it was")
    func cleared() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        let id = TransferID(1)
        try await store.commit([.inserted(StoredTransferSamples.plain(1)), .inserted(StoredTransferSamples.plain(2))])
        try await store.commit([.ended(id, .cancelled)])
        try await fixture.raw().write { database in
            try database.execute(sql: "UPDATE ended SET time = 0, submitted = 0; UPDATE queue SET submitted = 0")
        }
        let before = try #require(try await store.history(of: id))
        try await store.clear([id, TransferID(2)])
        #expect(try await store.ended(limit: 10).isEmpty)
        #expect(try await store.history(of: id) == before)
        #expect(try await store.history(since: WallTime(secondsSinceEpoch: 0)).transfers.count == 2)
        // To clear a transfer is no event of the transfer.
        #expect(try await store.history(since: WallTime(secondsSinceEpoch: 1)).transfers.isEmpty)
    }
}
