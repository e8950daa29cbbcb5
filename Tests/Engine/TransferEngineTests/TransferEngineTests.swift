// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite(.timeLimit(.minutes(5))) struct TransferEngineTests {
    @Test("A transfer is saved before it starts, and its end is saved before it is reported")
    func saveFirst() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            #expect(fixture.disk.transfers.map(\.id) == [id])
            #expect(await updates.next() == "1 started 1")
            fixture.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
            #expect(fixture.disk.transfers.first?.ending != nil)
        }
        #expect(
            fixture.journal.contains([
                "saved submitted", "executor start", "saved ended", "executor shutdown", "store closed",
            ]))
        #expect(fixture.executor.faults.isEmpty)
    }

    @Test("Updates come in order: waiting, started, progressed, paused, started, finished")
    func updates() async throws {
        let battery = EngineFixture.goodConditions(power: .battery)
        let fixture = EngineFixture(conditions: battery)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary), watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            var plugged = battery
            plugged.power = battery.power.updated(
                to: .ac, source: .upower, confidence: .reported, at: fixture.alarm.now())
            fixture.source.send(plugged)
            #expect(await updates.next() == "1 waiting settling")
            fixture.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "1 started 1")
            fixture.executor.progress(id, to: 10, of: 100)
            fixture.executor.checkpoint(id, at: 10, of: 100)
            #expect(await updates.next() == "1 progressed 10")
            fixture.alarm.advance(by: .seconds(60))
            var unplugged = plugged
            unplugged.power = plugged.power.updated(
                to: .battery, source: .upower, confidence: .reported, at: fixture.alarm.now())
            fixture.source.send(unplugged)
            await fixture.until { fixture.alarm.due == fixture.alarm.now().instant.advanced(by: .seconds(5)) }
            #expect(fixture.executor.running == [id])
            fixture.alarm.advance(by: .seconds(5))
            #expect(await updates.next() == "1 stopped onBattery 10")
            #expect(fixture.disk.transfers.first?.resume?.offset == 10)
            plugged.power = unplugged.power.updated(
                to: .ac, source: .upower, confidence: .reported, at: fixture.alarm.now())
            fixture.source.send(plugged)
            #expect(await updates.next() == "1 waiting settling")
            fixture.alarm.advance(by: .seconds(10))
            #expect(await updates.next() == "1 started 2")
            #expect(fixture.executor.log.contains(.start(id, offset: 10)))
            fixture.executor.finish(id)
            #expect(await updates.next() == "1 finished 200")
        }
    }

    @Test("A pause and each failure are reported once, regardless of changes in the meantime")
    func reportedOnce() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            fixture.executor.progress(id, to: 7)
            try await fixture.engine.pause(id)
            #expect(await updates.next(2) == ["1 progressed 7", "1 stopped suspended 7"])
            try await fixture.engine.resume(id)
            #expect(await updates.next() == "1 started 2")
            fixture.executor.fail(id, .timeout)
            #expect(await updates.next() == "1 retrying backoff timeout 7")
            var none = EngineFixture.goodConditions()
            none.network.value = .none
            fixture.alarm.advance(by: .milliseconds(1))
            fixture.source.send(none)
            #expect(await updates.next() == "1 waiting noNetwork")
            try await fixture.engine.cancel(id)
            #expect(await updates.next() == "1 cancelled")
        }
    }

    @Test("The store keeps the backoff after a failure, and the alarm starts the next attempt")
    func retry() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.executor.fail(id, .status(503), retryAfterSeconds: 20)
            #expect(await updates.next() == "1 retrying backoff status 0")
            #expect(fixture.disk.transfers.first?.retry?.attempts == 1)
            #expect(fixture.disk.transfers.first?.retry?.until == EngineFixture.start.wall.advanced(by: .seconds(20)))
            #expect(fixture.alarm.due == EngineFixture.start.instant.advanced(by: .seconds(20)))
            fixture.alarm.advance(by: .seconds(20))
            #expect(await updates.next() == "1 started 2")
            fixture.executor.progress(id, to: 2000)
            #expect(await updates.next() == "1 progressed 2000")
            #expect(fixture.disk.transfers.first?.retry == nil)
        }
    }

    @Test("A permanent failure keeps the bytes; a wrong or canceled file keeps none")
    func keptBytes() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            for (number, cause) in [FailureCause.certificate, .tooLarge].enumerated() {
                let id = try await fixture.engine.submit(EngineFixture.specification())
                _ = await updates.next()
                fixture.executor.checkpoint(id, at: 10)
                fixture.executor.fail(id, cause)
                #expect(await updates.next() == "\(number + 1) failed \(cause.code)")
            }
            let cancelled = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.executor.checkpoint(cancelled, at: 10)
            try await fixture.engine.cancel(cancelled)
            #expect(await updates.next() == "3 cancelled")
        }
        #expect(fixture.disk.transfers.map { $0.ending?.kept?.offset } == [10, nil, nil])
        let discarded = fixture.executor.log.compactMap { if case .discard(let path) = $0 { path } else { nil } }
        #expect(Set(discarded) == [2, 3].map { FakeExecutor.path(TransferID($0)) }.reduce(into: []) { $0.insert($1) })
    }

    @Test("After recovery, running transfers continue with their bytes, and paused transfers stay paused")
    func recovery() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineFixture(disk: disk)
        try await first.run { updates in
            let running = try await first.engine.submit(EngineFixture.specification(host: "a"))
            let paused = try await first.engine.submit(EngineFixture.specification(host: "b"))
            let done = try await first.engine.submit(EngineFixture.specification(host: "c"))
            _ = await updates.next(3)
            first.executor.checkpoint(running, at: 4096)
            try await first.engine.pause(paused)
            first.executor.finish(done)
            try await first.waitForInbox()
        }
        let second = EngineFixture(disk: disk)
        second.engine.watch(TransferID(2))
        try await second.run { updates in
            #expect(await updates.next(2) == ["1 started 1", "2 waiting suspended"])
            #expect(second.executor.log == [.start(TransferID(1), offset: 4096)])
            try await second.engine.resume(TransferID(2))
            #expect(await updates.next() == "2 started 1")
        }
    }

    @Test("Nothing starts before the first snapshot, and earlier commands take effect")
    func firstSnapshot() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        for id in Int64(1)...2 {
            let transfer = StoredTransfer(id: TransferID(id), specification: EngineFixture.specification())
            try await store.commit([.inserted(transfer)])
        }
        let fixture = EngineFixture(disk: disk, conditions: nil)
        try await fixture.run { updates in
            let third = try await fixture.engine.submit(EngineFixture.specification(host: "b"), watching: true)
            try await fixture.engine.cancel(TransferID(1))
            try await fixture.engine.pause(third)
            #expect(fixture.executor.log.isEmpty)
            #expect(await updates.next() == "1 cancelled")
            fixture.source.send(EngineFixture.goodConditions())
            #expect(await updates.next(2) == ["2 started 1", "3 waiting suspended"])
            #expect(fixture.executor.log == [.start(TransferID(2), offset: 0)])
            #expect(disk.transfers.map(\.ending) == [.cancelled, nil, nil])
            #expect(disk.transfers.map(\.isSuspended) == [false, false, true])
        }
    }

    @Test("A command before the first snapshot takes effect even if the engine ends without a snapshot")
    func withoutSnapshot() async throws {
        let disk = InMemoryTransferStore.Disk()
        let fixture = EngineFixture(disk: disk, conditions: nil)
        try await fixture.run { _ in
            let first = try await fixture.engine.submit(EngineFixture.specification())
            let second = try await fixture.engine.submit(EngineFixture.specification())
            try await fixture.engine.cancel(first)
            try await fixture.engine.pause(second)
        }
        #expect(disk.transfers.map(\.ending) == [.cancelled, nil])
        #expect(disk.transfers.map(\.isSuspended) == [false, true])
        #expect(fixture.executor.log == [.shutdown])
    }

    @Test("Canceling removes the partial file, for a running transfer after its attempt has ended")
    func cancel() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            _ = await updates.next()
            fixture.executor.checkpoint(id, at: 10)
            try await fixture.engine.cancel(id)
            #expect(await updates.next() == "1 cancelled")
            let path = FakeExecutor.path(id)
            #expect(fixture.executor.log.prefix(3) == [.start(id, offset: 0), .stop(id), .discard(path: path)])
            #expect(fixture.executor.faults.isEmpty)
            #expect(fixture.disk.transfers.first?.ending == .cancelled)
        }
    }

    @Test("The engine measures missing disk space, and the transfer continues when there is enough")
    func storage() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            _ = await updates.next()
            fixture.executor.runOutOfSpace(id, needed: 100, available: 0)
            #expect(await updates.next() == "1 stopped storageLow 0")
            fixture.executor.setAvailableSpace(50)
            fixture.alarm.advance(by: .seconds(15))
            #expect(await updates.next() == "1 waiting storageLow")
            fixture.executor.setAvailableSpace(100)
            fixture.alarm.advance(by: .seconds(15))
            #expect(await updates.next() == "1 started 2")
        }
    }

    @Test("Setting the wall clock re-evaluates transfers that wait for a date")
    func wallClock() async throws {
        let fixture = EngineFixture()
        try await fixture.run { updates in
            var specification = EngineFixture.specification()
            let date = EngineFixture.start.wall.advanced(by: .seconds(1000))
            specification.traits.constraints.notBefore = NotBeforeConstraint(date)
            let id = try await fixture.engine.submit(specification)
            fixture.alarm.setWallClock(to: date)
            #expect(await updates.next() == "\(id) started 1")
        }
    }
}
