// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy
import TransferScheduling
import TransferTesting

@testable import TransferEngine
@testable import TransferModel

@Suite("What a restart must not lose", .timeLimit(.minutes(5))) struct EngineLearningTests {
    private static let day: Duration = .seconds(86_400)

    @Test(
        "AC that was not there for three days, restarts included, is not waited for any longer",
        arguments: ["boot", "next"])
    func threeDays(boot: String) async throws {
        let disk = InMemoryTransferStore.Disk()
        let battery = EngineRig.goodConditions(power: .battery)
        let first = EngineRig(disk: disk, conditions: battery)
        try await first.run { updates in
            _ = try await first.engine.submit(EngineRig.specification(.discretionary), watching: true)
            #expect(await updates.next() == "1 waiting onBattery")
            first.alarm.advance(by: Self.day * 2)
            // An event makes the engine count the time until now.
            first.engine.appUsed("app")
            try await first.settle()
        }
        // The time while the machine was off does not count, however long it is.
        let now = Moment(
            instant: Instant(nanoseconds: boot == "boot" ? 400_000_000_000_000 : 1_000_000_000),
            wall: EngineRig.start.wall.advanced(by: Self.day * 9))
        let second = EngineRig(disk: disk, conditions: battery, now: now, boot: boot)
        second.engine.watch(TransferID(1))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting onBattery")
            #expect(second.alarm.due == now.instant.advanced(by: Self.day))
            second.alarm.advance(by: Self.day - .seconds(1))
            try await second.settle()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(second.executor.log.isEmpty)
            second.alarm.advance(by: .seconds(1))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test("The hours that used to be good are known after restarts")
    func habits() async throws {
        let disk = InMemoryTransferStore.Disk()
        var learned = Learned()
        let good = EngineRig.goodConditions()
        // Five weeks until now, in which every hour was good.
        for hour in Int64(0)...(5 * 168) {
            let moment = EngineRig.start.advanced(by: .seconds((hour - 5 * 168) * 3600))
            learned.history.observe(.init(good, at: moment), localTime: .utc)
        }
        let store = InMemoryTransferStore(disk: disk)
        try await store.commit([.learned(learned)])
        for _ in 0..<2 {
            let rig = EngineRig(disk: disk, conditions: EngineRig.goodConditions(power: .battery))
            try await rig.run { updates in
                let id = try await rig.engine.submit(EngineRig.specification(.discretionary), watching: true)
                #expect(await updates.next() != nil)
                let chance = await rig.engine.explanation(of: id)?.expectedChance
                #expect(chance == EngineRig.start.wall.advanced(by: .seconds(3600)))
                try await rig.engine.cancel(id)
                try await rig.settle()
            }
        }
    }

    @Test("Once in 15 minutes is what was learned saved because time goes by, and nothing is woken for it")
    func nowAndThen() async throws {
        let rig = EngineRig()
        try await rig.run { _ in
            try await rig.settle()
            var counts: [Int] = []
            for minutes in [1, 13, 1, 1, 13, 1] as [Int64] {
                rig.alarm.advance(by: .seconds(minutes * 60))
                #expect(rig.alarm.due == nil)
                var conditions = EngineRig.goodConditions()
                conditions.battery.value.level = Int(minutes)
                rig.source.send(conditions)
                rig.engine.appUsed("app")
                // Settle twice: a background save is complete before the next commit returns.
                try await rig.settle()
                try await rig.settle()
                counts.append(Self.saves(rig.disk))
            }
            #expect(counts == [0, 0, 1, 1, 1, 2])
            rig.alarm.setWallClock(to: EngineRig.start.wall)
            await rig.until("a save after the step of the clock") { Self.saves(rig.disk) == 3 }
        }
        #expect(Self.saves(rig.disk) == 4)
    }

    @Test("A run on conditions that are made up uses what was learned, and leaves it as it was")
    func madeUp() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let learned = try StoredTransferSamples.learned()
        try await store.commit([.learned(learned)])
        let rig = EngineRig(disk: disk, savesLearned: false)
        try await rig.run { _ in
            rig.alarm.advance(by: .seconds(3600))
            rig.alarm.setWallClock(to: EngineRig.start.wall)
            rig.engine.appRelaunched("app")
            try await rig.settle()
        }
        #expect(try await store.learned() == learned)
    }

    @Test("A damaged value stops nothing: it is told, dropped, and counting begins anew")
    func damaged() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        try await store.commit([.learned(StoredTransferSamples.learned())])
        disk.damageLearned()
        let rig = EngineRig(disk: disk)
        try await rig.run { updates in
            _ = try await rig.engine.submit(EngineRig.specification())
            #expect(await updates.next(2) == ["trouble corrupt", "1 started 1"])
        }
        #expect(try await store.learned() != nil)
    }

    @Test(
        "A relaunch limiter's delay goes on after a restart, for the transfer that it held",
        arguments: [false, true])
    func limiter(beforeFirstLook: Bool) async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk, conditions: beforeFirstLook ? nil : EngineRig.goodConditions())
        try await first.run { updates in
            first.engine.appRelaunched("app")
            var specification = EngineRig.specification()
            specification.traits = TransferTraits(
                kind: .discretionary, host: "h", app: "app", submitted: EngineRig.start.wall, isFromBackground: true)
            if !beforeFirstLook { await first.until("the first look") { await first.engine.loop.hasLooked } }
            _ = try await first.engine.submit(specification, watching: true)
            first.source.send(EngineRig.goodConditions())
            #expect(await updates.next() == "1 waiting rateLimited")
            #expect(disk.transfers.first?.relaunchHold != nil)
            first.alarm.advance(by: .seconds(10))
        }
        let second = EngineRig(disk: disk, now: first.alarm.now())
        second.engine.watch(TransferID(1))
        try await second.run { updates in
            #expect(await updates.next() == "1 waiting rateLimited")
            let delay = RelaunchLimiterConfiguration().first
            second.alarm.advance(by: delay - .seconds(11))
            try await second.settle()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(second.executor.log.isEmpty)
            second.alarm.advance(by: .seconds(1))
            #expect(await updates.next() == "1 started 1")
        }
    }

    @Test(
        "A delay that began before the first look counts, and one that a person ended does not come back")
    func foregrounded() async throws {
        let disk = InMemoryTransferStore.Disk()
        let store = InMemoryTransferStore(disk: disk)
        let first = EngineRig(disk: disk, conditions: nil)
        try await first.run { _ in first.engine.appRelaunched("app") }
        #expect(try await store.learned()?.limiters.keys.sorted() == ["app"])
        let second = EngineRig(disk: disk, conditions: nil)
        try await second.run { _ in second.engine.appCameToFront("app") }
        #expect(try await store.learned()?.limiters.isEmpty == true)
    }

    @Test("Budgets and what is spent of them are there after a restart")
    func budgets() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk, conditions: EngineRig.meteredConditions())
        try await first.run { updates in
            var book = ByteBudgetBook()
            book.apps["app"] = try ByteBudget(
                limit: 1000, billingDay: 1, at: EngineRig.start.wall, localTime: .utc)
            first.engine.setBudgets(book)
            try await first.settle()
            #expect(await updates.next()?.hasSuffix("cancelled") == true)
            #expect(try await InMemoryTransferStore(disk: disk).learned()?.budgets == book)
            let id = try await first.engine.submit(Self.meteredSpecification())
            #expect(await updates.next() == "2 started 1")
            first.alarm.advance(by: .seconds(1))
            first.executor.progress(id, to: 1000)
            #expect(await updates.next() == "2 progressed 1000")
        }
        let second = EngineRig(disk: disk, conditions: EngineRig.meteredConditions(), now: first.alarm.now())
        second.engine.watch(TransferID(2))
        try await second.run { updates in
            #expect(await updates.next() == "2 waiting budgetSpent")
            #expect(second.executor.log.isEmpty)
            second.engine.setBudgets(ByteBudgetBook())
            #expect(await updates.next() == "2 started 1")
        }
    }

    @Test("Other limits keep what is spent, also after a restart, and let go what they allow")
    func budgetLimits() async throws {
        let disk = InMemoryTransferStore.Disk()
        let first = EngineRig(disk: disk, conditions: EngineRig.meteredConditions())
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
        let second = EngineRig(disk: disk, conditions: EngineRig.meteredConditions(), now: first.alarm.now())
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
        var specification = EngineRig.specification()
        specification.traits = TransferTraits(
            kind: .normal, constraints: Constraints(metered: .allowed), host: "h", app: "app",
            submitted: EngineRig.start.wall)
        return specification
    }

    private static func saves(_ disk: InMemoryTransferStore.Disk) -> Int {
        disk.commits.flatMap { $0 }.count { if case .learned = $0 { true } else { false } }
    }
}
