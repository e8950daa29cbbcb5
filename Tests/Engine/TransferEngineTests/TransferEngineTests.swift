// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct TransferEngineTests {
    @Test("A transfer is saved before it is begun, and its end before it is told")
    func saveFirst() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            #expect(rig.disk.transfers.map(\.id) == [id])
            #expect(await updates.next() == "1 started 1")
            rig.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
            #expect(rig.disk.transfers.first?.ending != nil)
        }
        #expect(
            rig.journal.holds([
                "saved submitted", "executor start", "saved ended", "executor shutdown", "store closed",
            ]))
        #expect(rig.executor.faults.isEmpty)
    }

    @Test("Updates come in order: waiting, started, progressed, paused, started, finished")
    func updates() async throws {
        let battery = EngineRig.goodConditions(power: .battery)
        let rig = EngineRig(conditions: battery)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary), watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            var plugged = battery
            plugged.power = battery.power.updated(
                to: .ac, source: .upower, sureness: .reported, at: rig.alarm.now())
            rig.source.send(plugged)
            #expect(await updates.next() == "1 waiting settling")
            rig.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "1 started 1")
            rig.executor.progress(id, to: 10, of: 100)
            rig.executor.checkpoint(id, at: 10, of: 100)
            #expect(await updates.next() == "1 progressed 10")
            rig.alarm.advance(by: .seconds(60))
            var unplugged = plugged
            unplugged.power = plugged.power.updated(
                to: .battery, source: .upower, sureness: .reported, at: rig.alarm.now())
            rig.source.send(unplugged)
            await rig.until { rig.alarm.due == rig.alarm.now().instant.advanced(by: .seconds(5)) }
            #expect(rig.executor.running == [id])
            rig.alarm.advance(by: .seconds(5))
            #expect(await updates.next() == "1 stopped onBattery 10")
            #expect(rig.disk.transfers.first?.resume?.offset == 10)
            plugged.power = unplugged.power.updated(
                to: .ac, source: .upower, sureness: .reported, at: rig.alarm.now())
            rig.source.send(plugged)
            #expect(await updates.next() == "1 waiting settling")
            rig.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "1 started 2")
            #expect(rig.executor.log.contains(.start(id, offset: 10)))
            rig.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
        }
    }

    @Test("A person's pause and each failure are told once, whatever changes meanwhile")
    func toldOnce() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            rig.executor.progress(id, to: 7)
            try await rig.engine.pause(id)
            #expect(await updates.next(2) == ["1 progressed 7", "1 stopped suspended 7"])
            try await rig.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            rig.executor.fail(id, .timeout)
            #expect(await updates.next() == "1 retrying backoff timeout 7")
            var none = EngineRig.goodConditions()
            none.network.value = .none
            rig.alarm.advance(by: .milliseconds(1))
            rig.source.send(none)
            #expect(await updates.next() == "1 waiting noNetwork")
            try await rig.engine.cancel(id)
            #expect(await updates.next() == "1 cancelled")
        }
    }

    @Test("A failure's wait is kept by the store; the alarm begins the next attempt")
    func retry() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.executor.fail(id, .status(503), retryAfterSeconds: 20)
            #expect(await updates.next() == "1 retrying backoff status 0")
            #expect(rig.disk.transfers.first?.retry?.attempts == 1)
            #expect(rig.disk.transfers.first?.retry?.until == EngineRig.start.wall.advanced(by: .seconds(20)))
            #expect(rig.alarm.due == EngineRig.start.instant.advanced(by: .seconds(20)))
            rig.alarm.advance(by: .seconds(20))
            #expect(await updates.next() == "1 started 2")
            rig.executor.progress(id, to: 2000)
            #expect(await updates.next() == "1 progressed 2000")
            #expect(rig.disk.transfers.first?.retry == nil)
        }
    }

    @Test("Who fails for good leaves the bytes for the next time; a wrong or cancelled file leaves none")
    func keptBytes() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            for (number, cause) in [FailureCause.certificate, .tooLarge].enumerated() {
                let id = try await rig.engine.submit(EngineRig.specification())
                _ = await updates.next()
                rig.executor.checkpoint(id, at: 10)
                rig.executor.fail(id, cause)
                #expect(await updates.next() == "\(number + 1) failed \(cause.code)")
            }
            let cancelled = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.executor.checkpoint(cancelled, at: 10)
            try await rig.engine.cancel(cancelled)
            #expect(await updates.next() == "3 cancelled")
        }
        #expect(rig.disk.transfers.map { $0.ending?.kept?.offset } == [10, nil, nil])
        let discarded = rig.executor.log.compactMap { if case .discard(let path) = $0 { path } else { nil } }
        #expect(Set(discarded) == [2, 3].map { FakeExecutor.path(TransferID($0)) }.reduce(into: []) { $0.insert($1) })
    }

    @Test("Recovery is a re-run: what ran is begun again with its bytes, what was paused stays so")
    func recovery() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk)
        try await first.run { updates in
            let running = try await first.engine.submit(EngineRig.specification(host: "a"))
            let paused = try await first.engine.submit(EngineRig.specification(host: "b"))
            let done = try await first.engine.submit(EngineRig.specification(host: "c"))
            _ = await updates.next(3)
            first.executor.checkpoint(running, at: 4096)
            try await first.engine.pause(paused)
            first.executor.finish(done)
            try await first.settle()
        }
        let second = EngineRig(disk: disk)
        second.engine.watch(TransferID(2))
        try await second.run { updates in
            #expect(await updates.next(2) == ["1 started 1", "2 waiting suspended"])
            #expect(second.executor.log == [.start(TransferID(1), offset: 4096)])
            try await second.engine.resume(TransferID(2))
            #expect(await updates.next() == "2 started 1")
        }
    }

    @Test("Nothing starts before the first look at the machine; commands until then count")
    func firstLook() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        for id in Int64(1)...2 {
            let transfer = StoredTransfer(id: TransferID(id), specification: EngineRig.specification())
            try await store.commit([.inserted(transfer)])
        }
        let rig = EngineRig(disk: disk, conditions: nil)
        try await rig.run { updates in
            let third = try await rig.engine.submit(EngineRig.specification(host: "b"), watching: true)
            try await rig.engine.cancel(TransferID(1))
            try await rig.engine.pause(third)
            #expect(rig.executor.log.isEmpty)
            #expect(await updates.next() == "1 cancelled")
            rig.source.send(EngineRig.goodConditions())
            #expect(await updates.next(2) == ["2 started 1", "3 waiting suspended"])
            #expect(rig.executor.log == [.start(TransferID(2), offset: 0)])
            #expect(disk.transfers.map(\.ending) == [.cancelled, nil, nil])
            #expect(disk.transfers.map(\.isSuspended) == [false, false, true])
        }
    }

    @Test("A command that came before the first look counts even if the engine ends without one")
    func noLook() async throws {
        let disk = InMemoryTransferStore.Disk()
        let rig = EngineRig(disk: disk, conditions: nil)
        try await rig.run { _ in
            let first = try await rig.engine.submit(EngineRig.specification())
            let second = try await rig.engine.submit(EngineRig.specification())
            try await rig.engine.cancel(first)
            try await rig.engine.pause(second)
        }
        #expect(disk.transfers.map(\.ending) == [.cancelled, nil])
        #expect(disk.transfers.map(\.isSuspended) == [false, true])
        #expect(rig.executor.log == [.shutdown])
    }

    @Test("Cancelling removes the partial file, of a running transfer when its attempt has ended")
    func cancel() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification())
            _ = await updates.next()
            rig.executor.checkpoint(id, at: 10)
            try await rig.engine.cancel(id)
            #expect(await updates.next() == "1 cancelled")
            let path = FakeExecutor.path(id)
            #expect(rig.executor.log.prefix(3) == [.start(id, offset: 0), .stop(id), .discard(path: path)])
            #expect(rig.executor.faults.isEmpty)
            #expect(rig.disk.transfers.first?.ending == .cancelled)
        }
    }

    @Test("Lack of room is measured, and the transfer goes on when there is some")
    func storage() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(), watching: true)
            _ = await updates.next()
            rig.executor.runOutOfSpace(id, needed: 100, available: 0)
            #expect(await updates.next() == "1 stopped storageLow 0")
            rig.executor.setAvailableSpace(50)
            rig.alarm.advance(by: .seconds(15))
            #expect(await updates.next() == "1 waiting storageLow")
            rig.executor.setAvailableSpace(100)
            rig.alarm.advance(by: .seconds(15))
            #expect(await updates.next() == "1 started 2")
        }
    }

    @Test("A wall clock that is set moves what waits for a date")
    func wallClock() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            var specification = EngineRig.specification()
            let date = EngineRig.start.wall.advanced(by: .seconds(1000))
            specification.traits.constraints.notBefore = NotBeforeConstraint(date)
            let id = try await rig.engine.submit(specification)
            rig.alarm.setWallClock(to: date)
            #expect(await updates.next() == "\(id) started 1")
        }
    }
}
