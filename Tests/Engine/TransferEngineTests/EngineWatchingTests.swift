// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Watching", .timeLimit(.minutes(5))) struct EngineWatchingTests {
    @Test("Wait reasons are reported only for watched transfers, other events for all transfers")
    func onlyWatched() async throws {
        let battery = EngineFixture.goodConditions(power: .battery)
        let fixture = EngineFixture(conditions: battery)
        try await fixture.run { updates in
            let first = try await fixture.engine.submit(EngineFixture.specification(.discretionary, host: "a"))
            _ = try await fixture.engine.submit(EngineFixture.specification(.discretionary, host: "b"), watching: true)
            #expect(await updates.next() == "2 waiting onBattery")
            fixture.source.send(EngineFixture.goodConditions())
            #expect(await updates.next() == "2 waiting settling")
            fixture.alarm.advance(by: .seconds(10))
            #expect(await updates.next(2) == ["1 started 1", "2 started 1"])
            fixture.executor.progress(first, to: 5)
            var unplugged = battery
            unplugged.power.since = EngineFixture.start.advanced(by: .seconds(10))
            fixture.source.send(unplugged)
            fixture.alarm.advance(by: .seconds(5))
            #expect(Set(await updates.next(3)) == ["1 progressed 5", "1 stopped onBattery 5", "2 stopped onBattery 0"])
        }
    }

    @Test("Watching reports the current reasons once, and unwatching ends the reports")
    func fromNowOn() async throws {
        var configuration = SchedulerConfiguration()
        (configuration.powerDebounce, configuration.meteredDebounce) = (.zero, .zero)
        let fixture = EngineFixture(
            conditions: EngineFixture.goodConditions(power: .battery), configuration: configuration)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary))
            fixture.engine.watch(id)
            fixture.engine.watch(id)
            #expect(await updates.next() == "1 waiting onBattery")
            fixture.source.send(EngineFixture.meteredConditions())
            #expect(await updates.next() == "1 waiting metered")
            fixture.engine.unwatch(id)
            fixture.engine.watch(TransferID(77))
            fixture.source.send(EngineFixture.goodConditions(power: .battery))
            fixture.source.send(EngineFixture.goodConditions())
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("A new policy applies to waiting and running transfers")
    func policy() async throws {
        let fixture = EngineFixture(conditions: EngineFixture.goodConditions(power: .battery))
        try await fixture.run { updates in
            _ = try await fixture.engine.submit(EngineFixture.specification(.discretionary), watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            await fixture.engine.setPolicy(UnmeteredPolicy())
            #expect(await updates.next() == "1 started 1")
            await fixture.engine.setPolicy(StrictPolicy())
            fixture.alarm.advance(by: .seconds(5))
            #expect(await updates.next() == "1 stopped onBattery 0")
        }
    }

    @Test("A transfer watched before the first snapshot is reported with that snapshot")
    func early() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        for id in Int64(1)...3 {
            let transfer = StoredTransfer(
                id: TransferID(id), specification: EngineFixture.specification(.discretionary))
            try await store.commit([.inserted(transfer)])
        }
        let fixture = EngineFixture(disk: disk, conditions: nil)
        for id in Int64(1)...3 { fixture.engine.watch(TransferID(id)) }
        fixture.engine.unwatch(TransferID(2))
        try await fixture.run { updates in
            fixture.source.send(EngineFixture.goodConditions(power: .battery))
            #expect(await updates.next(2) == ["1 waiting onBattery", "3 waiting onBattery"])
        }
    }
}
