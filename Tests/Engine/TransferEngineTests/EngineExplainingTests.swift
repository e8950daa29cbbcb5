// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Explaining", .timeLimit(.minutes(5))) struct EngineExplainingTests {
    @Test("Asked before anybody has looked at the machine, it answers once somebody has")
    func early() async throws {
        let rig = EngineRig(conditions: nil)
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification(.discretionary))
            let engine = rig.engine
            async let answer = engine.explanationInTurn(of: id)
            // An unknown transfer can be answered before the first snapshot.
            #expect(await engine.explanationInTurn(of: TransferID(99)) == nil)
            rig.source.send(EngineRig.goodConditions(power: .battery))
            let explanation = try #require(await answer)
            #expect(explanation.holds.map(\.reason.code).contains("onBattery"))
        }
    }

    @Test("What was asked for before is done first: a pause is among the reasons")
    func inTurn() async throws {
        let rig = EngineRig()
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification())
            try await rig.engine.pause(id)
            let explanation = await rig.engine.explanationInTurn(of: id)
            #expect(explanation?.holds.map(\.reason) == [.suspended])
        }
    }

    @Test("The end of the engine answers those who wait for the first look, and those who ask afterwards")
    func end() async throws {
        let rig = EngineRig(conditions: nil)
        let asked = try await rig.disk.withAsking(rig)
        #expect(await asked.value == nil)
        #expect(await rig.engine.explanationInTurn(of: TransferID(1)) == nil)
    }

    @Test("All apps whose delay is not 0 are listed by name, with what they hold")
    func delays() async throws {
        let rig = EngineRig()
        try await rig.run { _ in
            for app in ["b", "a", "b"] { rig.engine.appRelaunched(app) }
            rig.engine.appRelaunched("front")
            rig.engine.appCameToFront("front")
            var specification = EngineRig.specification()
            (specification.traits.app, specification.traits.isFromBackground) = ("b", true)
            _ = try await rig.engine.submit(specification)
            try await rig.settle()
            let (delays, now) = await rig.engine.relaunchDelays()
            #expect(delays.map(\.app) == ["a", "b"])
            #expect(delays.map(\.delay.delay) == [.seconds(60), .seconds(120)])
            #expect(delays.map(\.delay.waiting.count) == [0, 1])
            #expect(delays[1].delay.until == now.instant.advanced(by: .seconds(120)))
        }
    }
}

extension InMemoryTransferStore.Disk {
    /// Asks about a transfer that waits for the first snapshot, in a run that ends without a snapshot.
    fileprivate func withAsking(_ rig: EngineRig) async throws -> Task<Explanation?, Never> {
        let (tasks, continuation) = AsyncStream.makeStream(of: Task<Explanation?, Never>.self)
        try await rig.run { _ in
            let id = try await rig.engine.submit(EngineRig.specification())
            continuation.yield(Task { await rig.engine.explanationInTurn(of: id) })
            continuation.finish()
            try await rig.settleUnseen()
        }
        for await task in tasks { return task }
        return Task { nil }
    }
}

extension EngineRig {
    /// Returns after all earlier messages are handled without a snapshot, because submissions are stored in order.
    fileprivate func settleUnseen() async throws {
        for _ in 0..<3 { _ = try await engine.submit(Self.specification()) }
    }
}
