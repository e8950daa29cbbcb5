// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Holds on transfers", .timeLimit(.minutes(5))) struct EngineHoldTests {
    @Test("A hold is saved until its release, before and after the first snapshot; an unknown ID is ignored")
    func saved() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineFixture(disk: disk, conditions: nil)
        try await first.run { _ in
            for _ in 0..<3 { _ = try await first.engine.submit(EngineFixture.specification()) }
            try await first.engine.control([TransferID(1)], .hold(by: "a person", why: "later"))
            try await first.engine.control([TransferID(2)], .hold(by: "a person", why: "later"))
            try await first.engine.control([TransferID(2)], .release)
            try await first.engine.control([TransferID(9)], .hold(by: "a person", why: "later"))
        }
        let held = TransferHold(by: "a person", why: "later")
        #expect(disk.transfers.map(\.hold) == [held, nil, nil])
        let second = EngineFixture(disk: disk)
        try await second.run { _ in
            try await second.waitForInbox()
            try await second.engine.control([TransferID(1)], .release)
            try await second.engine.control([TransferID(2)], .hold(by: "somebody", why: "first"))
            try await second.engine.control([TransferID(2)], .hold(by: "a person", why: "later"))
            try await second.engine.control([TransferID(9)], .hold(by: "a person", why: "later"))
            try await second.waitForInbox()
        }
        #expect(disk.transfers.prefix(3).map(\.hold) == [nil, held, nil])
        #expect(disk.transfers.allSatisfy { !$0.isSuspended })
    }

    @Test(
        "A held transfer stops and does not start after a restart until it is released")
    func remainsHeld() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineFixture(disk: disk)
        try await first.run { updates in
            let id = try await first.engine.submit(EngineFixture.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            try await first.engine.control([id], .hold(by: "a person", why: "later"))
            #expect(await updates.next() == "1 stopped held 0")
        }
        let second = EngineFixture(disk: disk)
        second.engine.watch(TransferID(1))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting held")
            #expect(second.executor.log.isEmpty)
            let explanation = await second.engine.explanation(of: TransferID(1))
            #expect(explanation?.reasons.map(\.reason) == [.held(by: "a person", why: "later")])
            try await second.engine.control([TransferID(1)], .release)
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test(
        "A transfer that needs its app waits for it, even before the first snapshot")
    func needed() async throws {
        let fixture = EngineFixture(conditions: nil)
        try await fixture.run { updates in
            let id = try await fixture.engine.submit(EngineFixture.specification(), watching: true)
            fixture.engine.appNeeded(id, .delayedBegin)
            fixture.source.send(EngineFixture.goodConditions())
            #expect(await updates.next() == "1 waiting needsApp")
            #expect(fixture.executor.log.isEmpty)
            fixture.engine.appResponded(id)
            #expect(await updates.next() == "1 started 1")
            fixture.engine.appNeeded(id, .authentication)
            #expect(await updates.next() == "1 stopped needsApp 0")
        }
    }
}
