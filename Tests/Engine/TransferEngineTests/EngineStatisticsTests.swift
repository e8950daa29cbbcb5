// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import TransferEngine
@testable import TransferModel

@Suite("Persisted statistics of the engine", .timeLimit(.minutes(5))) struct EngineStatisticsTests {
    @Test("The statistics of good hours survive restarts")
    func habits() async throws {
        let disk = InMemoryTransferStore.Disk()
        var statistics = PersistedStatistics()
        let good = EngineFixture.goodConditions()
        // Five weeks until now, in which every hour was good.
        for hour in Int64(0)...(5 * 168) {
            let reading = EngineFixture.start.advanced(by: .seconds((hour - 5 * 168) * 3600))
            statistics.history.observe(.init(good, at: reading), localTime: .utc)
        }
        let store = InMemoryTransferStore(disk: disk)
        try await store.commit([.statistics(statistics)])
        for _ in 0..<2 {
            let fixture = EngineFixture(disk: disk, conditions: EngineFixture.goodConditions(power: .battery))
            try await fixture.run { updates in
                let id = try await fixture.engine.submit(EngineFixture.specification(.discretionary), watching: true)
                #expect(await updates.next() != nil)
                let chance = await fixture.engine.explanation(of: id)?.expectedChance
                #expect(chance == EngineFixture.start.wall.advanced(by: .seconds(3600)))
                try await fixture.engine.cancel(id)
                try await fixture.waitForInbox()
            }
        }
    }

    @Test("The statistics are saved at most every 15 minutes, without a wake-up of their own")
    func nowAndThen() async throws {
        let fixture = EngineFixture()
        try await fixture.run { _ in
            try await fixture.waitForInbox()
            var counts: [Int] = []
            for minutes in [1, 13, 1, 1, 13, 1] as [Int64] {
                fixture.alarm.advance(by: .seconds(minutes * 60))
                #expect(fixture.alarm.due == nil)
                var conditions = EngineFixture.goodConditions()
                conditions.battery.value.level = Int(minutes)
                fixture.source.send(conditions)
                // Wait twice: a background save is complete before the next commit returns.
                try await fixture.waitForInbox()
                try await fixture.waitForInbox()
                counts.append(Self.saves(fixture.disk))
            }
            #expect(counts == [0, 0, 1, 1, 1, 2])
            fixture.alarm.setWallClock(to: EngineFixture.start.wall)
            await fixture.until("a save after the step of the clock") { Self.saves(fixture.disk) == 3 }
        }
        #expect(Self.saves(fixture.disk) == 4)
    }

    @Test("A run on simulated conditions uses the statistics and does not save them")
    func madeUp() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let statistics = try StoredTransferSamples.statistics()
        try await store.commit([.statistics(statistics)])
        let fixture = EngineFixture(disk: disk, savesStatistics: false)
        try await fixture.run { _ in
            fixture.alarm.advance(by: .seconds(3600))
            fixture.alarm.setWallClock(to: EngineFixture.start.wall)
            fixture.engine.appRelaunched("app")
            try await fixture.waitForInbox()
        }
        #expect(try await store.statistics() == statistics)
    }

    @Test("Damaged statistics are reported and dropped, and the statistics start over")
    func damaged() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        try await store.commit([.statistics(StoredTransferSamples.statistics())])
        disk.damageStatistics()
        let fixture = EngineFixture(disk: disk)
        try await fixture.run { updates in
            _ = try await fixture.engine.submit(EngineFixture.specification())
            #expect(await updates.next(2) == ["store error corrupt", "1 started 1"])
        }
        #expect(try await store.statistics() != nil)
    }

    @Test(
        "A relaunch limiter's delay continues after a restart for the delayed transfer",
        arguments: [false, true])
    func limiter(beforeFirstSnapshot: Bool) async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineFixture(disk: disk, conditions: beforeFirstSnapshot ? nil : EngineFixture.goodConditions())
        try await first.run { updates in
            first.engine.appRelaunched("app")
            var specification = EngineFixture.specification()
            specification.traits = TransferTraits(
                kind: .discretionary, host: "h", app: "app", submitted: EngineFixture.start.wall, isFromBackground: true
            )
            if !beforeFirstSnapshot { await first.until("the first snapshot") { await first.engine.loop.hasSnapshot } }
            _ = try await first.engine.submit(specification, watching: true)
            first.source.send(EngineFixture.goodConditions())
            #expect(await updates.next() == "1 waiting rateLimited")
            #expect(disk.transfers.first?.relaunchDelay != nil)
            first.alarm.advance(by: .seconds(10))
        }
        let second = EngineFixture(disk: disk, now: first.alarm.now())
        second.engine.watch(TransferID(1))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting rateLimited")
            let delay = RelaunchLimiterConfiguration().first
            second.alarm.advance(by: delay - .seconds(11))
            try await second.waitForInbox()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(second.executor.log.isEmpty)
            second.alarm.advance(by: .seconds(1))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test(
        "A delay from before the first snapshot applies, and a delay that the user ended does not return")
    func foregrounded() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let first = EngineFixture(disk: disk, conditions: nil)
        try await first.run { _ in first.engine.appRelaunched("app") }
        #expect(try await store.statistics()?.limiters.keys.sorted() == ["app"])
        let second = EngineFixture(disk: disk, conditions: nil)
        try await second.run { _ in second.engine.appCameToFront("app") }
        #expect(try await store.statistics()?.limiters.isEmpty == true)
    }

    @Test("New limits keep the spent bytes, also after a restart, and release the transfers they allow")
    func budgetLimits() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineFixture(disk: disk, conditions: EngineFixture.meteredConditions())
        first.engine.setBudgetLimits(try ByteBudgetLimits(connections: [:], apps: ["app": 1000]))
        try await first.run { updates in
            let id = try await first.engine.submit(Self.meteredSpecification())
            #expect(await updates.next() == "1 started 1")
            first.alarm.advance(by: .seconds(1))
            first.executor.progress(id, to: 900)
            #expect(await updates.next() == "1 progressed 900")
            let budgets = await first.engine.budgets()
            #expect(budgets.map(\.name) == ["app"] && budgets.map(\.used) == [900] && budgets.map(\.state) == ["near"])
        }
        let second = EngineFixture(disk: disk, conditions: EngineFixture.meteredConditions(), now: first.alarm.now())
        second.engine.watch(TransferID(1))
        second.engine.setBudgetLimits(try ByteBudgetLimits(connections: [:], apps: ["app": 900]))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting budgetSpent")
            #expect(await second.engine.budgets().map(\.used) == [900])
            second.engine.setBudgetLimits(try ByteBudgetLimits(connections: [:], apps: ["app": 901]))
            #expect(await updates.next() == "1 started 1")
        }
    }

    private static func meteredSpecification() -> TransferSpecification {
        var specification = EngineFixture.specification()
        specification.traits = TransferTraits(
            kind: .normal, constraints: Constraints(metered: .allowed), host: "h", app: "app",
            submitted: EngineFixture.start.wall)
        return specification
    }

    private static func saves(_ disk: InMemoryTransferStore.Disk) -> Int {
        disk.commits.flatMap { $0 }.count { if case .statistics = $0 { true } else { false } }
    }
}
