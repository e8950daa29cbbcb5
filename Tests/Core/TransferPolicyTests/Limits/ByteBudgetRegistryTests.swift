// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite("ByteBudgetBook")
struct ByteBudgetRegistryTests {
    private let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private func registry() throws -> ByteBudgetRegistry {
        var registry = ByteBudgetRegistry()
        registry.connections["phone"] = try ByteBudget(limit: 100, billingDay: 1, at: now, localTime: .utc)
        registry.apps["org.example.Photos"] = try ByteBudget(limit: 50, billingDay: 25, at: now, localTime: .utc)
        return registry
    }

    @Test("A byte counts against its connection and its app; the tighter budget decides")
    func both() throws {
        var registry = try registry()
        try registry.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        #expect(state(registry, "phone", "org.example.Photos") == .near)
        #expect(state(registry, "phone", "other") == .below)
        try registry.charge(40, connection: "phone", app: "other", at: now, localTime: .utc)
        #expect(state(registry, "phone", "other") == .near)
        #expect(registry.remaining(connection: "phone", app: "org.example.Photos", at: now, localTime: .utc) == 5)
        try registry.charge(5, connection: nil, app: "org.example.Photos", at: now, localTime: .utc)
        #expect(state(registry, nil, "org.example.Photos") == .exhausted)
        #expect(registry.remaining(connection: "phone", app: "other", at: now, localTime: .utc) == 15)
    }

    @Test("Without a budget, there is no state and charging counts nothing")
    func none() throws {
        var registry = ByteBudgetRegistry()
        try registry.charge(5, connection: "phone", app: "app", at: now, localTime: .utc)
        #expect(registry == ByteBudgetRegistry())
        #expect(state(registry, "phone", "app") == nil)
        #expect(registry.remaining(connection: "phone", app: "app", at: now, localTime: .utc) == nil)
        #expect(registry.nextRollOver(after: now, localTime: .utc) == nil)
    }

    @Test("A negative byte count changes neither budget")
    func negative() throws {
        var registry = try registry()
        let before = registry
        #expect(throws: ByteBudgetError.negativeBytes(-1)) {
            try registry.charge(-1, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        }
        #expect(registry == before)
    }

    @Test("The next rollover is the earliest of all budgets; the registry survives storage")
    func rollOverAndCoding() throws {
        var registry = try registry()
        try registry.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        // The rollover is at 2026-11-25 00:00.
        #expect(registry.nextRollOver(after: now, localTime: .utc) == now.advanced(by: .seconds(3 * 86_400 + 43_200)))
        #expect(try JSONDecoder().decode(ByteBudgetRegistry.self, from: JSONEncoder().encode(registry)) == registry)
    }

    private func state(_ registry: ByteBudgetRegistry, _ connection: String?, _ app: String) -> ByteBudget.State? {
        registry.state(connection: connection, app: app, at: now, localTime: .utc)
    }

    @Test("New limits keep the used bytes of remaining budgets and remove budgets without a limit")
    func limited() throws {
        var registry = try registry()
        try registry.charge(30, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        let limits = try ByteBudgetLimits(connections: ["phone": 40, "train": 7], apps: ["person": 0], billingDay: 10)
        let limited = try registry.limited(to: limits, at: now, localTime: .utc)
        #expect(limited.connections.keys.sorted() == ["phone", "train"] && limited.apps.keys.sorted() == ["person"])
        #expect(limited.connections["phone"]?.used(at: now, localTime: .utc) == 30)
        #expect(limited.connections.values.allSatisfy { $0.billingDay == 10 })
        #expect(limited.remaining(connection: "phone", app: "", at: now, localTime: .utc) == 10)
        #expect(try limited.limited(to: limits, at: now, localTime: .utc) == limited)
        #expect(try limited.limited(to: ByteBudgetLimits(), at: now, localTime: .utc).isEmpty)
    }

    @Test("Invalid limits are rejected at creation")
    func wrongLimits() {
        #expect(throws: ByteBudgetError.negativeLimit(-1)) { try ByteBudgetLimits(connections: [:], apps: ["a": -1]) }
        #expect(throws: ByteBudgetError.billingDayOutOfRange(32)) {
            try ByteBudgetLimits(connections: [:], apps: [:], billingDay: 32)
        }
    }

    @Test("Budget statuses are sorted by name, connections first")
    func statuses() throws {
        var registry = try registry()
        try registry.charge(45, connection: "phone", app: "org.example.Photos", at: now, localTime: .utc)
        let statuses = registry.statuses(at: now, localTime: .utc)
        #expect(statuses.map(\.scope) == ["connection", "app"])
        #expect(statuses.map(\.name) == ["phone", "org.example.Photos"])
        #expect(statuses.map(\.limit) == [100, 50] && statuses.map(\.used) == [45, 45])
        #expect(statuses.map(\.state) == ["below", "near"])
        #expect(statuses[0].renewed == registry.connections["phone"]?.nextRollOver(after: now, localTime: .utc))
    }
}
