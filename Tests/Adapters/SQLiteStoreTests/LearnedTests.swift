// SPDX-License-Identifier: Apache-2.0
import GRDB
import SQLiteStore
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("SQLiteStore: what was learned", .timeLimit(.minutes(5)))
struct LearnedTests {
    @Test("a value that cannot be read is reported as such, hides no transfer, and is replaced by the next")
    func damaged() async throws {
        let place = try Place()
        let store = try place.open()
        try await store.commit([.learned(StoredTransferSamples.learned()), .inserted(StoredTransferSamples.plain(1))])
        for text in [#"{"history":7}"#, "[]", "null", #"{"limiters":{"a":{"boot":1}}}"#] {
            try await place.raw().write { try $0.execute(sql: "UPDATE learned SET value = ?", arguments: [text]) }
            let error = await #expect(throws: TransferStoreError.self, "\(text)") { try await store.learned() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(place.path) == true)
            #expect(try await store.unfinished() == [StoredTransferSamples.plain(1)])
        }
        try await store.commit([.learned(StoredTransferSamples.learned(2))])
        #expect(try await store.learned() == StoredTransferSamples.learned(2))
        #expect(try await place.raw().read { try Int.fetchOne($0, sql: "SELECT count(*) FROM learned") } == 1)
    }

    @Test("AC that was not there for three days is not waited for any longer, over restarts of engine and store")
    func threeDays() async throws {
        let place = try Place()
        let start = Moment(
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
        let store = try place.open()
        try await store.commit([.inserted(transfer)])
        await store.close()
        for day in 0..<3 {
            let alarm = ManualAlarm(
                startingAt: start.advanced(by: .seconds(day * 500_000)), boot: "boot \(day)")
            let executor = FakeExecutor()
            let engine = TransferEngine(
                store: try place.open(), executor: executor, conditions: ManualConditionSource(conditions),
                alarm: alarm,
                seed: 1)
            engine.watch(transfer.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await engine.run() }
                var updates = engine.updates.makeAsyncIterator()
                #expect(await kinds(&updates) == "waiting")
                // One second short of the required wait over the first two days together, and past it on the third.
                alarm.advance(by: .seconds(86_400 - 1))
                engine.appUsed("app")
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
            case .storeTrouble(let error): return "trouble \(error)"
            case .transfer(let transfer):
                switch transfer.kind {
                case .waiting: return "waiting"
                case .started: return "started"
                case .submitted, .changed, .paused, .resumed: continue
                case .progressed, .stopped, .retrying, .finished, .failed, .cancelled: return "other"
                }
            }
        }
        return nil
    }
}
