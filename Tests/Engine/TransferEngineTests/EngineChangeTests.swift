// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Changes to queued transfers", .timeLimit(.minutes(5))) struct EngineChangeTests {
    @Test("\"Start now\" is saved, then starts a transfer that a policy or limiter blocked")
    func startNow() async throws {
        let fixture = EngineFixture(conditions: EngineFixture.goodConditions(power: .battery))
        try await fixture.run { updates in
            var specification = EngineFixture.specification()
            specification.traits = TransferTraits(
                kind: .discretionary, host: "h", submitted: EngineFixture.start.wall, isFromBackground: true)
            let id = try await fixture.engine.submit(specification, watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            try await fixture.engine.change(id, .startNow)
            let traits = try #require(fixture.disk.transfers.first?.specification.traits)
            #expect(traits.kind == .userInitiated && traits.isFromBackground == nil)
            #expect(await updates.next() == "1 started 1")
        }
        #expect(fixture.journal.contains(["saved submitted", "saved respecified", "executor start"]))
    }

    @Test("A change that forbids a running transfer stops it, also after a restart")
    func stops() async throws {
        let disk = InMemoryTransferStore.Disk()
        let fixture = EngineFixture(disk: disk)
        let date = EngineFixture.start.wall.advanced(by: .seconds(1000))
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(.normal))
            #expect(await updates.next() == "1 started 1")
            fixture.executor.checkpoint(id, at: 10)
            let constraints = Constraints(notBefore: NotBeforeConstraint(date))
            try await fixture.engine.change(id, TransferChange(constraints: constraints, priority: 7))
            #expect(await updates.next() == "1 stopped notBefore 10")
            #expect(disk.transfers.first?.specification.traits.constraints == constraints)
            #expect(disk.transfers.first?.specification.traits.priority == 7)
        }
        let second = EngineFixture(disk: disk)
        try await second.run { updates in
            try await second.waitForInbox()
            #expect(await updates.next() == "2 cancelled")
            #expect(second.executor.log.isEmpty)
            second.alarm.advance(by: .seconds(1000))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("An invalid or unsaved change is refused and changes nothing")
    func refused() async throws {
        let fixture = EngineFixture(conditions: EngineFixture.goodConditions(power: .battery))
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary))
            let before = fixture.disk.transfers
            let now = EngineFixture.start.wall
            let backwards = Constraints(notBefore: NotBeforeConstraint(now), deadline: DeadlineConstraint(now))
            let closed = Constraints(window: WindowConstraint(windows: []))
            for (change, error) in [
                (TransferChange(priority: 1001), TransferChangeError.priorityOutOfRange(1001)),
                (TransferChange(kind: .userInitiated, priority: -1), .priorityOutOfRange(-1)),
                (TransferChange(constraints: backwards), .deadlineBeforeStart(deadline: now, notBefore: now)),
                (TransferChange(constraints: closed), .windowNeverOpens),
            ] {
                await #expect(throws: error) { try await fixture.engine.change(id, change) }
            }
            let unknown = await #expect(throws: TransferStoreError.self) {
                try await fixture.engine.change(TransferID(99), .startNow)
            }
            #expect(unknown?.code == .noSuchTransfer)
            let full = TransferStoreError(code: .diskFull, message: "full")
            fixture.disk.fail(with: full)
            await #expect(throws: full) { try await fixture.engine.change(id, .startNow) }
            fixture.disk.fail(with: nil)
            #expect(fixture.disk.transfers == before)
            // A change without an effect writes nothing.
            let commits = fixture.disk.commits.count
            try await fixture.engine.change(id, TransferChange(kind: .discretionary, priority: 500))
            #expect(fixture.disk.commits.count == commits)
            try await fixture.waitForInbox()
            #expect(fixture.executor.log.isEmpty)
        }
        await #expect(throws: EngineEndedError.self) { try await fixture.engine.change(TransferID(1), .startNow) }
    }
}
