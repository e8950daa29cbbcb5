// SPDX-License-Identifier: Apache-2.0
import GRDB
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("SQLiteStore: statistics", .timeLimit(.minutes(5)))
struct PersistedStatisticsTests {
    @Test("An unreadable value is reported, hides no transfer, and is replaced by the next value")
    func damaged() async throws {
        let fixture = try StoreFixture()
        let store = try fixture.open()
        try await store.commit([
            .statistics(StoredTransferSamples.statistics()), .inserted(StoredTransferSamples.plain(1)),
        ])
        for text in [#"{"history":7}"#, "[]", "null", #"{"limiters":{"a":{"boot":1}}}"#] {
            try await fixture.raw().write { try $0.execute(sql: "UPDATE learned SET value = ?", arguments: [text]) }
            let error = await #expect(throws: TransferStoreError.self, "\(text)") { try await store.statistics() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(fixture.path) == true)
            #expect(try await store.unfinished() == [StoredTransferSamples.plain(1)])
        }
        try await store.commit([.statistics(StoredTransferSamples.statistics(2))])
        #expect(try await store.statistics() == StoredTransferSamples.statistics(2))
        #expect(try await fixture.raw().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM learned") } == 1)
    }

    @Test("A transfer stops waiting for AC power after three days without it, across restarts of the store")
    func threeDays() async throws {
        let fixture = try StoreFixture()
        let start = ClockReading(
            instant: Instant(nanoseconds: 1_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(.battery, source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        let transfer = StoredTransfer(
            id: TransferID(1),
            specification: TransferSpecification(
                url: "http://example.org/f", destination: Destination(directory: "/tmp", name: nil),
                traits: TransferTraits(kind: .discretionary, host: "h", submitted: start.wall)))
        let store = try fixture.open()
        try await store.commit([.inserted(transfer)])
        await store.close()
        for day in 0..<3 {
            let alarm = ManualAlarm(
                startingAt: start.advanced(by: .seconds(day * 500_000)), boot: "boot \(day)")
            let executor = FakeExecutor()
            let engine = TransferEngine(
                store: try fixture.open(), executor: executor, conditions: ManualConditionSource(conditions),
                alarm: alarm,
                seed: 1)
            engine.watch(transfer.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await engine.run() }
                var updates = engine.updates.makeAsyncIterator()
                #expect(await kinds(&updates) == "waiting")
                // One second short of the required wait over the first two days together, and past it on the third.
                alarm.advance(by: .seconds(86_400 - 1))
                engine.appCameToFront("app")
                if day == 2 {
                    #expect(executor.running.isEmpty)
                    alarm.advance(by: .seconds(3))
                    #expect(await kinds(&updates) == "started")
                } else {
                    try await engine.pause(transfer.id)
                    #expect(await kinds(&updates) == "waiting")
                    try await engine.resume(transfer.id)
                    #expect(await kinds(&updates) == "waiting")
                }
                engine.shutDown()
                try await group.waitForAll()
            }
        }
    }

    private func kinds(_ updates: inout AsyncStream<EngineUpdate>.Iterator) async -> String? {
        while let update = await updates.next() {
            switch update {
            case .conditions: continue
            case .storeError(let error): return "store error \(error)"
            case .transfer(let transfer):
                switch transfer.kind {
                case .waiting: return "waiting"
                case .started: return "started"
                case .submitted, .changed, .paused, .resumed: continue
                case .progressed, .restarted, .stopped, .retrying, .deadline, .finished, .failed, .cancelled:
                    return "other"
                }
            }
        }
        return nil
    }
}
