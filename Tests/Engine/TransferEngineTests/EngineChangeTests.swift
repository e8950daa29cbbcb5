// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Changing what is queued", .timeLimit(.minutes(5))) struct EngineChangeTests {
    @Test("A person's \"start now\" is saved, then begins what policy and limiter held")
    func startNow() async throws {
        let rig = EngineRig(conditions: EngineRig.goodConditions(power: .battery))
        try await rig.run { updates in
            var specification = EngineRig.specification()
            specification.traits = TransferTraits(
                kind: .discretionary, host: "h", submitted: EngineRig.start.wall, isFromBackground: true)
            let id = try await rig.engine.submit(specification, watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            try await rig.engine.change(id, .startNow)
            let traits = try #require(rig.disk.transfers.first?.specification.traits)
            #expect(traits.kind == .userInitiated && traits.isFromBackground == nil)
            #expect(await updates.next() == "1 started 1")
        }
        #expect(rig.journal.holds(["saved submitted", "saved respecified", "executor start"]))
    }

    @Test("What runs is stopped where the change forbids it, and is kept so by a restart")
    func stops() async throws {
        let disk = InMemoryTransferStore.Disk()
        let rig = EngineRig(disk: disk)
        let date = EngineRig.start.wall.advanced(by: .seconds(1000))
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(.normal))
            #expect(await updates.next() == "1 started 1")
            rig.executor.checkpoint(id, at: 10)
            let constraints = Constraints(notBefore: NotBeforeConstraint(date))
            try await rig.engine.change(id, TransferChange(constraints: constraints, priority: 7))
            #expect(await updates.next() == "1 stopped notBefore 10")
            #expect(disk.transfers.first?.specification.traits.constraints == constraints)
            #expect(disk.transfers.first?.specification.traits.priority == 7)
        }
        let second = EngineRig(disk: disk)
        try await second.run { updates in
            try await second.settle()
            #expect(await updates.next() == "2 cancelled")
            #expect(second.executor.log.isEmpty)
            second.alarm.advance(by: .seconds(1000))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("A higher priority gets the next slot")
    func priority() async throws {
        var configuration = SchedulerConfiguration()
        configuration.globalSlots = 1
        let rig = EngineRig(configuration: configuration)
        try await rig.run { updates in
            let first = try await rig.engine.submit(EngineRig.specification(.normal))
            _ = try await rig.engine.submit(EngineRig.specification(.normal))
            let third = try await rig.engine.submit(EngineRig.specification(.normal))
            #expect(await updates.next() == "1 started 1")
            try await rig.engine.change(third, TransferChange(priority: 501))
            rig.executor.finish(first)
            #expect(await updates.next(2) == ["1 finished 200", "3 started 1"])
        }
    }

    @Test("A change that makes no sense, or cannot be saved, is refused and changes nothing")
    func refused() async throws {
        let rig = EngineRig(conditions: EngineRig.goodConditions(power: .battery))
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary))
            let before = rig.disk.transfers
            let now = EngineRig.start.wall
            let backwards = Constraints(notBefore: NotBeforeConstraint(now), deadline: DeadlineConstraint(now))
            let closed = Constraints(window: WindowConstraint(windows: []))
            for (change, error) in [
                (TransferChange(priority: 1001), TransferChangeError.priorityOutOfRange(1001)),
                (TransferChange(kind: .userInitiated, priority: -1), .priorityOutOfRange(-1)),
                (TransferChange(constraints: backwards), .deadlineBeforeStart(deadline: now, notBefore: now)),
                (TransferChange(constraints: closed), .windowNeverOpens),
            ] {
                await #expect(throws: error) { try await rig.engine.change(id, change) }
            }
            let unknown = await #expect(throws: TransferStoreError.self) {
                try await rig.engine.change(TransferID(99), .startNow)
            }
            #expect(unknown?.code == .noSuchTransfer)
            let full = TransferStoreError(code: .diskFull, message: "full")
            rig.disk.fail(with: full)
            await #expect(throws: full) { try await rig.engine.change(id, .startNow) }
            rig.disk.fail(with: nil)
            #expect(rig.disk.transfers == before)
            // A change without an effect writes nothing.
            let commits = rig.disk.commits.count
            try await rig.engine.change(id, TransferChange(kind: .discretionary, priority: 500))
            #expect(rig.disk.commits.count == commits)
            try await rig.settle()
            #expect(rig.executor.log.isEmpty)
        }
        await #expect(throws: EngineEndedError.self) { try await rig.engine.change(TransferID(1), .startNow) }
    }

    @Test("A change before the first look at the machine counts at it")
    func early() async throws {
        let rig = EngineRig(conditions: nil)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary))
            try await rig.engine.change(id, .startNow)
            #expect(rig.disk.transfers.first?.specification.traits.kind == .userInitiated)
            rig.source.send(EngineRig.goodConditions(power: .battery))
            #expect(await updates.next() == "1 started 1")
        }
    }
}
