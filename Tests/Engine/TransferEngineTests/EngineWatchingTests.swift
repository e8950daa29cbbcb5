// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Watching", .timeLimit(.minutes(5))) struct EngineWatchingTests {
    @Test("Why a transfer waits is told of those only that are watched; what it does is told of all")
    func onlyWatched() async throws {
        let battery = EngineRig.goodConditions(power: .battery)
        let rig = EngineRig(conditions: battery)
        try await rig.run { updates in
            let first = try await rig.engine.submit(EngineRig.specification(.discretionary, host: "a"))
            _ = try await rig.engine.submit(EngineRig.specification(.discretionary, host: "b"), watching: true)
            #expect(await updates.next() == "2 waiting onBattery")
            rig.source.send(EngineRig.goodConditions())
            #expect(await updates.next(2) == ["1 started 1", "2 started 1"])
            rig.executor.progress(first, to: 5)
            rig.source.send(battery)
            rig.alarm.advance(by: .seconds(5))
            #expect(Set(await updates.next(3)) == ["1 progressed 5", "1 stopped onBattery 5", "2 stopped onBattery 0"])
        }
    }

    @Test("Who begins to watch is told how it stands, once; who ends to watch is told nothing more")
    func fromNowOn() async throws {
        let rig = EngineRig(conditions: EngineRig.goodConditions(power: .battery))
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary))
            rig.engine.watch(id)
            rig.engine.watch(id)
            #expect(await updates.next() == "1 waiting onBattery")
            rig.source.send(EngineRig.meteredConditions())
            #expect(await updates.next() == "1 waiting metered")
            rig.engine.unwatch(id)
            rig.engine.watch(TransferID(77))
            rig.source.send(EngineRig.goodConditions(power: .battery))
            rig.source.send(EngineRig.goodConditions())
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("Another policy decides about what waits and what runs")
    func policy() async throws {
        let rig = EngineRig(conditions: EngineRig.goodConditions(power: .battery))
        try await rig.run { updates in
            _ = try await rig.engine.submit(EngineRig.specification(.discretionary), watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            await rig.engine.setPolicy(UnmeteredPolicy())
            #expect(await updates.next() == "1 started 1")
            await rig.engine.setPolicy(StrictPolicy())
            rig.alarm.advance(by: .seconds(5))
            #expect(await updates.next() == "1 stopped onBattery 0")
        }
    }

    @Test("What is watched before the first look at the machine is told of at it")
    func early() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        for id in Int64(1)...3 {
            let transfer = StoredTransfer(id: TransferID(id), specification: EngineRig.specification(.discretionary))
            try await store.commit([.inserted(transfer)])
        }
        let rig = EngineRig(disk: disk, conditions: nil)
        for id in Int64(1)...3 { rig.engine.watch(TransferID(id)) }
        rig.engine.unwatch(TransferID(2))
        try await rig.run { updates in
            rig.source.send(EngineRig.goodConditions(power: .battery))
            #expect(await updates.next(2) == ["1 waiting onBattery", "3 waiting onBattery"])
        }
    }
}
