// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferEngine
import TransferModel
import TransferPolicy
import TransferScheduling
import TransferTesting

@Suite("Explanations", .timeLimit(.minutes(5))) struct EngineExplainingTests {
    @Test("A request before the first snapshot returns after the snapshot")
    func early() async throws {
        let fixture = EngineFixture(conditions: nil)
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary))
            let engine = fixture.engine
            async let reply = engine.explanationInTurn(of: id)
            // The reply about an unknown transfer can be sent before the first snapshot.
            #expect(await engine.explanationInTurn(of: TransferID(99)) == nil)
            fixture.source.send(EngineFixture.goodConditions(power: .battery))
            let explanation = try #require(await reply)
            #expect(explanation.reasons.map(\.reason.code).contains("onBattery"))
        }
    }

    @Test("Earlier commands take effect first: a pause is among the reasons")
    func inTurn() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            try await fixture.engine.pause(id)
            let explanation = await fixture.engine.explanationInTurn(of: id)
            #expect(explanation?.reasons.map(\.reason) == [.suspended])
        }
    }

    @Test("The end of the engine resumes requests that wait for the first snapshot, and later requests")
    func end() async throws {
        let fixture = EngineFixture(conditions: nil)
        let request = try await fixture.disk.withAsking(fixture)
        #expect(await request.value == nil)
        #expect(await fixture.engine.explanationInTurn(of: TransferID(1)) == nil)
    }

    @Test("All apps whose delay is not 0 are listed by name with their delays")
    func delays() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            for app in ["b", "a", "b"] { fixture.engine.appRelaunched(app) }
            fixture.engine.appRelaunched("front")
            fixture.engine.appCameToFront("front")
            var specification = EngineFixture.specification()
            (specification.traits.app, specification.traits.isFromBackground) = ("b", true)
            _ = try await fixture.engine.submit(specification)
            try await fixture.waitForInbox()
            let (delays, now) = await fixture.engine.relaunchDelays()
            #expect(delays.map(\.app) == ["a", "b"])
            #expect(delays.map(\.delay.delay) == [.seconds(60), .seconds(120)])
            #expect(delays.map(\.delay.waiting.count) == [0, 1])
            #expect(delays[1].delay.until == now.instant.advanced(by: .seconds(120)))
        }
    }
}

extension InMemoryTransferStore.Disk {
    /// Requests the wait reasons of a transfer in a run that ends without a snapshot.
    fileprivate func withAsking(_ fixture: EngineFixture) async throws -> Task<Explanation?, Never> {
        let (tasks, continuation) = AsyncStream.makeStream(of: Task<Explanation?, Never>.self)
        try await fixture.run { _ in
            let id = try await fixture.engine.submit(EngineFixture.specification())
            continuation.yield(Task { await fixture.engine.explanationInTurn(of: id) })
            continuation.finish()
            try await fixture.waitForInboxBeforeSnapshot()
        }
        for await task in tasks { return task }
        return Task { nil }
    }
}

extension EngineFixture {
    /// Returns after all earlier messages are handled without a snapshot, because submissions are stored in order.
    fileprivate func waitForInboxBeforeSnapshot() async throws {
        for _ in 0..<3 { _ = try await engine.submit(Self.specification()) }
    }
}
