// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Holding", .timeLimit(.minutes(5))) struct EngineHoldTests {
    @Test("A hold is saved until it is released, before and after the first look; one of nothing is ignored")
    func saved() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk, conditions: nil)
        try await first.run { _ in
            for _ in 0..<3 { _ = try await first.engine.submit(EngineRig.specification()) }
            try await first.engine.control([TransferID(1)], .hold(by: "a person", why: "later"))
            try await first.engine.control([TransferID(2)], .hold(by: "a person", why: "later"))
            try await first.engine.control([TransferID(2)], .release)
            try await first.engine.control([TransferID(9)], .hold(by: "a person", why: "later"))
        }
        let held = TransferHold(by: "a person", why: "later")
        #expect(disk.transfers.map(\.hold) == [held, nil, nil])
        let second = EngineRig(disk: disk)
        try await second.run { _ in
            try await second.settle()
            try await second.engine.control([TransferID(1)], .release)
            try await second.engine.control([TransferID(2)], .hold(by: "somebody", why: "first"))
            try await second.engine.control([TransferID(2)], .hold(by: "a person", why: "later"))
            try await second.engine.control([TransferID(9)], .hold(by: "a person", why: "later"))
            try await second.settle()
        }
        #expect(disk.transfers.prefix(3).map(\.hold) == [nil, held, nil])
        #expect(disk.transfers.allSatisfy { !$0.isSuspended })
    }

    @Test(
        "What is held is stopped, and does not begin for a moment after a restart, until it is released")
    func keptHeld() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk)
        try await first.run { updates in
            let id = try await first.engine.submit(EngineRig.specification(), watching: true)
            #expect(await updates.next() == "1 started 1")
            try await first.engine.control([id], .hold(by: "a person", why: "later"))
            #expect(await updates.next() == "1 stopped held 0")
        }
        let second = EngineRig(disk: disk)
        second.engine.watch(TransferID(1))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting held")
            #expect(second.executor.log.isEmpty)
            let explanation = await second.engine.explanation(of: TransferID(1))
            #expect(explanation?.holds.map(\.reason) == [.held(by: "a person", why: "later")])
            try await second.engine.control([TransferID(1)], .release)
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test(
        "A held transfer that is paused too stays paused when it is released")
    func pausedToo() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk, conditions: nil)
        try await first.run { _ in
            let id = try await first.engine.submit(EngineRig.specification())
            try await first.engine.control([id], .hold(by: "a person", why: "later"))
            try await first.engine.pause(id)
        }
        let second = EngineRig(disk: disk)
        try await second.run { updates in
            try await second.engine.control([TransferID(1)], .release)
            try await second.settle()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(second.executor.log.isEmpty)
            try await second.engine.resume(TransferID(1))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test(
        "A transfer whose app is needed waits for it, also before the first look")
    func needed() async throws {
        let rig = EngineRig(conditions: nil)
        try await rig.run { updates in
            let id = try await rig.engine.submit(EngineRig.specification(), watching: true)
            rig.engine.appNeeded(id, .delayedBegin)
            rig.source.send(EngineRig.goodConditions())
            #expect(await updates.next() == "1 waiting needsApp")
            #expect(rig.executor.log.isEmpty)
            rig.engine.appAnswered(id)
            #expect(await updates.next() == "1 started 1")
            rig.engine.appNeeded(id, .authentication)
            #expect(await updates.next() == "1 stopped needsApp 0")
        }
    }
}
