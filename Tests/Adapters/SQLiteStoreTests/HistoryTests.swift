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
        let since = Moment(instant: .zero, wall: time(0))
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
            let facts = span.facts
            return "\(seconds(span.start))-\(span.end.map { "\(seconds($0))" } ?? "") \(facts.power) "
                + "\(facts.batteryLevel.map { "\($0)" } ?? "-") \(facts.metered)\(facts.isSuspended ? " suspended" : "")"
        }
    }

    @Test("conditions come back as spans: one for each change that matters, a level's small steps left out")
    func spans() async throws {
        let place = try Place()
        let store = try place.open()
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
        let beside = try place.open()
        #expect(text(try await beside.history(since: time(0)).conditions) == all)
        await store.close()
        #expect(try await beside.history(since: time(0)).conditions.last?.end != nil)
    }

    @Test("there is a gap while nobody watched, and after a crash one from the last thing that was recorded")
    func gaps() async throws {
        let place = try Place()
        let first = try place.open()
        first.record(conditions(.ac), at: time(0))
        first.recordEndOfWatch(at: time(10))
        first.recordEndOfWatch(at: time(11))
        await first.close()
        let second = try place.open()
        second.record(conditions(.battery), at: time(50))
        try await second.commit([.inserted(StoredTransferSamples.plain(1))])
        second.record(TransferMoment(id: TransferID(1), time: time(70), kind: .started))
        // The state that a crash leaves.
        second.watch.withLock { $0 = nil }
        await second.close()
        let third = try place.open()
        third.record(conditions(.ac), at: time(100))
        // The clock was set back.
        third.record(conditions(.battery), at: time(90))
        third.record(conditions(.ac), at: time(120))
        #expect(
            text(try await third.history(since: time(0)).conditions) == [
                "0-10 ac - no", "50-70 battery - no", "100-100 ac - no", "100-120 battery - no", "120- ac - no",
            ])
    }

    @Test("a transfer's moments come back in order, its submission first, without its secrets")
    func moments() async throws {
        let place = try Place()
        let store = try place.open()
        let transfer = StoredTransferSamples.full(1)
        try await store.commit([.inserted(transfer), .inserted(StoredTransferSamples.plain(2))])
        let submitted = transfer.specification.traits.submitted
        let moments = [
            TransferMoment(id: transfer.id, time: submitted.advanced(by: .seconds(1)), kind: .started),
            TransferMoment(id: transfer.id, time: submitted.advanced(by: .seconds(2)), kind: .paused, note: "power"),
            TransferMoment(id: transfer.id, time: submitted.advanced(by: .seconds(3)), kind: .started),
            TransferMoment(id: transfer.id, time: submitted.advanced(by: .seconds(4)), kind: .finished),
        ]
        for moment in moments { store.record(moment) }
        let expected = RecordedTransfer(
            id: transfer.id, specification: transfer.specification.redacted, ending: nil,
            moments: [TransferMoment(id: transfer.id, time: submitted, kind: .submitted)] + moments)
        #expect(try await store.history(of: transfer.id) == expected)
        #expect(try await store.history(of: TransferID(9)) == nil)
        // The other transfer was submitted long before.
        #expect(try await store.history(since: submitted).transfers == [expected])
        #expect(try await store.history(since: submitted.advanced(by: .seconds(4))).transfers == [expected])
        #expect(try await store.history(since: submitted.advanced(by: .seconds(5))).transfers == [])
        #expect(try await store.history(since: WallTime(secondsSinceEpoch: 0)).transfers.map(\.id.rawValue) == [1, 2])
    }

    @Test("pages together hold what one page would: nothing is left out, nothing comes twice")
    func pages() async throws {
        let place = try Place()
        let store = try place.open()
        for number in 1...5 as ClosedRange<Int64> {
            let transfer = StoredTransferSamples.plain(number)
            try await store.commit([.inserted(transfer)])
            for second in 1...number {
                store.record(TransferMoment(id: transfer.id, time: time(second), kind: .retried, note: "\(second)"))
            }
        }
        for second in 0..<7 as Range<Int64> {
            store.record(conditions(second.isMultiple(of: 2) ? .ac : .battery), at: time(second))
            if second == 3 { store.recordEndOfWatch(at: time(3).advanced(by: .milliseconds(500))) }
        }
        let whole = try await store.history(since: time(-1000))
        #expect(whole.transfers.map(\.moments.count) == [2, 3, 4, 5, 6] && whole.conditions.count == 7)
        #expect(whole.next == nil)
        for size in 1...8 {
            for moments in [1, 4, 1000] {
                var together = History()
                var from: History.Place? = .start
                var pages = 0
                while let begin = from, pages < 100 {
                    let page = try await store.history(
                        since: time(-1000), from: begin,
                        size: History.PageSize(transfers: size, moments: moments, spans: size))
                    #expect(page.transfers.count <= size && page.conditions.count <= size)
                    together.transfers += page.transfers
                    together.conditions += page.conditions
                    from = page.next
                    pages += 1
                }
                #expect(together == whole, "pages of \(size), \(moments) moments")
            }
        }
        // A start after the beginning of the history.
        let late = try await store.history(since: time(5), size: History.PageSize(spans: 1))
        #expect(late.transfers.map(\.id.rawValue) == [5] && text(late.conditions) == ["5-6 battery - no"])
    }

    @Test("an app's pages hold its transfers and no conditions, wherever they are told to begin")
    func pagesOfAnApp() async throws {
        let place = try Place()
        let store = try place.open()
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

    @Test("of a transfer with thousands of moments the newest are told")
    func manyMoments() async throws {
        let place = try Place()
        let store = try place.open()
        let transfer = StoredTransferSamples.plain(1)
        try await store.commit([.inserted(transfer)])
        for second in 1...1500 as ClosedRange<Int64> {
            store.record(TransferMoment(id: transfer.id, time: time(second), kind: .started))
        }
        let moments = try #require(try await store.history(of: transfer.id)).moments
        #expect(moments.count == 1001 && moments.first?.kind == .submitted)
        #expect(moments.dropFirst().first?.time == time(501) && moments.last?.time == time(1500))
    }

    @Test("what was recorded is saved without any commit after it")
    func savedAlone() async throws {
        let place = try Place()
        let store = try place.open()
        store.record(conditions(.ac), at: time(0))
        await store.close()
        let rows = try await place.raw().read { try String.fetchAll($0, sql: "SELECT what FROM condition") }
        #expect(rows == ["begun", "ended"])
    }
}
