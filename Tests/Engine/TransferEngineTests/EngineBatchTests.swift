// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("many transfers at once", .timeLimit(.minutes(5)))
struct EngineBatchTests {
    private static func many(_ count: Int) -> [NewTransfer] {
        (0..<count).map { NewTransfer(EngineRig.specification(host: "h\($0)"), key: "key \($0)") }
    }

    private static func slots(_ count: Int) -> SchedulerConfiguration {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = count
        configuration.slotsPerHost = count
        configuration.slotsPerApp = count
        return configuration
    }

    @Test("Many that are handed over together are saved in one transaction, numbered and begun in their order")
    func together() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let ids = try await rig.engine.submit(Self.many(100))
            #expect(ids == (1...100).map { TransferID($0) })
            #expect(rig.disk.commits.map(\.count) == [100])
            #expect(rig.disk.transfers.map(\.key) == (0..<100).map { "key \($0)" })
            #expect(await updates.next(4) == ["1 started 1", "2 started 1", "3 started 1", "4 started 1"])
            #expect(rig.journal.holds(["saved submitted", "executor start"]))
            #expect(try await rig.engine.submit([]) == [])
        }
    }

    @Test("Those that are watched are told why they wait, the others are not")
    func watched() async throws {
        let rig = EngineRig(configuration: Self.slots(1))
        try await rig.run { updates in
            _ = try await rig.engine.submit(Self.many(2))
            _ = try await rig.engine.submit(Self.many(2), watching: true)
            #expect(
                await updates.next(3)
                    == ["1 started 1", "3 waiting waitingForSlot", "4 waiting waitingForSlot"])
        }
    }

    @Test("One that makes no sense is named, and none is queued")
    func wrongInTheMiddle() async throws {
        let rig = EngineRig()
        try await rig.run { _ in
            var transfers = Self.many(5)
            transfers[2].specification.url = "http://user:secret@h/x?token=secret"
            transfers[2].specification.traits.constraints.window = WindowConstraint(windows: [])
            transfers[4].key = ""
            let error = await #expect(throws: RefusedTransferError.self) { try await rig.engine.submit(transfers) }
            #expect(error?.index == 2)
            #expect(error?.description.contains("transfer 3 of 5, http://h/x, ") == true)
            #expect(error?.description.contains("secret") == false)
            transfers[2] = Self.many(1)[0]
            let second = await #expect(throws: RefusedTransferError.self) { try await rig.engine.submit(transfers) }
            #expect(second?.index == 4)
            try await rig.settle()
        }
        #expect(rig.disk.transfers.map(\.specification.url) == ["http://127.0.0.1/marker"])
    }

    @Test("What cannot be saved is refused whole, and none of it begins")
    func failingStore() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            rig.disk.fail(with: TransferStoreError(code: .diskFull, message: "full"))
            await #expect(throws: TransferStoreError.self) { try await rig.engine.submit(Self.many(3)) }
            rig.disk.fail(with: nil)
            let ids = try await rig.engine.submit(Self.many(1))
            #expect(await updates.next() == "\(ids[0]) started 1")
            #expect(rig.disk.transfers.map(\.id) == ids)
        }
    }

    @Test("Before the first look at the machine many are stored and wait for it")
    func early() async throws {
        let rig = EngineRig(conditions: nil)
        try await rig.run { updates in
            let ids = try await rig.engine.submit(Self.many(3), watching: true)
            #expect(rig.disk.transfers.map(\.id) == ids)
            try await rig.engine.cancel(ids[1])
            #expect(await updates.next() == "2 cancelled")
            rig.source.send(EngineRig.goodConditions())
            #expect(await updates.next(2) == ["1 started 1", "3 started 1"])
        }
    }

    @Test("Ends that come while the store is busy are saved together, and nothing follows from them before")
    func groupedEnds() async throws {
        let rig = EngineRig(configuration: Self.slots(3))
        try await rig.run { updates in
            let ids = try await rig.engine.submit(Self.many(6))
            _ = await updates.next(3)
            rig.disk.setHanging(true)
            rig.executor.finish(ids[0])
            // The engine now waits for the store. The following reports are saved together.
            await rig.until("the first end is being saved") { rig.journal.lines.contains("saving ended") }
            rig.executor.checkpoint(ids[1], at: 5)
            rig.executor.finish(ids[1])
            rig.executor.finish(ids[2])
            #expect(rig.executor.running.isEmpty)
            #expect(rig.disk.transfers.allSatisfy { $0.ending == nil })
            rig.disk.setHanging(false)
            #expect(
                Set(await updates.next(6))
                    == [
                        "1 finished 200", "2 finished 200", "3 finished 200", "4 started 1", "5 started 1",
                        "6 started 1",
                    ])
            // A resume point is useless once the transfer has ended.
            let kinds = rig.disk.commits.dropFirst().map { $0.map { "\($0)".prefix { $0 != "(" } } }
            #expect(kinds == [["ended"], ["ended", "ended"]])
            #expect(rig.executor.running == Array(ids[3...]))
        }
        #expect(rig.executor.faults.isEmpty)
    }

    @Test("A start that was decided and not made yet is made before it is stopped")
    func startThenStop() async throws {
        let rig = EngineRig(configuration: Self.slots(1))
        try await rig.run { updates in
            var transfers = Self.many(2)
            transfers[1].specification.traits.kind = .discretionary
            let ids = try await rig.engine.submit(transfers)
            _ = await updates.next()
            rig.disk.setHanging(true)
            try await rig.engine.control([TransferID(99)], .hold(by: "nobody", why: "to keep the engine"))
            rig.executor.checkpoint(ids[0], at: 1)
            rig.executor.finish(ids[0])
            rig.source.send(EngineRig.meteredConditions())
            rig.disk.setHanging(false)
            #expect(
                await updates.next(3) == ["1 finished 200", "2 started 1", "2 stopped metered 0"])
            // The files of the finished transfer are removed in between.
            let calls = rig.executor.log.filter { if case .discard = $0 { false } else { true } }
            #expect(
                calls.prefix(3) == [.start(ids[0], offset: 0), .start(ids[1], offset: 0), .stop(ids[1])])
        }
        #expect(rig.executor.faults.isEmpty)
    }

    @Test("What came before the end was asked for is dealt with, what came after is refused")
    func aroundTheEnd() async throws {
        let rig = EngineRig()
        try await rig.run { updates in
            let ids = try await rig.engine.submit(Self.many(2))
            _ = await updates.next(2)
            rig.executor.finish(ids[0])
            rig.engine.shutDown()
            await #expect(throws: EngineEndedError.self) { try await rig.engine.submit(Self.many(3)) }
        }
        #expect(rig.disk.transfers.map { $0.ending != nil } == [true, false])
    }
}
