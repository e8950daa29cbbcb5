// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The limits of metered bytes that somebody sets, without what is spent of them.
///
/// ```swift
/// let limits = try ByteBudgetLimits(connections: ["Phone": 2_000_000_000], apps: [:], billingDay: 15)
/// engine.setBudgetLimits(limits)
/// ```
public struct ByteBudgetLimits: Hashable, Sendable {
    /// Bytes a month, by the connection's name (SSID or profile).
    public let connections: [String: Int64]
    /// Bytes a month, by the app's identifier.
    public let apps: [String: Int64]
    /// The day of the month on which all periods begin, 1…31.
    public let billingDay: Int

    /// No limits: nothing is budgeted.
    public init() { (connections, apps, billingDay) = ([:], [:], 1) }

    /// Limits by name.
    ///
    /// - Throws: for a limit below 0 and a day that no month has.
    public init(
        connections: [String: Int64], apps: [String: Int64], billingDay: Int = 1
    ) throws(ByteBudgetError) {
        for limit in (Array(connections.values) + Array(apps.values)).sorted() + [0] {
            try ByteBudget.check(limit: limit, billingDay: billingDay)
        }
        (self.connections, self.apps, self.billingDay) = (connections, apps, billingDay)
    }
}

extension ByteBudgetBook {
    /// Returns the book with other limits: what is spent of a budget that stays is kept, a budget without a limit ends.
    package func limited(
        to limits: ByteBudgetLimits, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) -> ByteBudgetBook {
        func budgets(
            _ limits: [String: Int64], day: Int, keeping former: [String: ByteBudget]
        ) throws(ByteBudgetError) -> [String: ByteBudget] {
            var budgets: [String: ByteBudget] = [:]
            for (name, limit) in limits.sorted(by: { $0.key < $1.key }) {
                var budget = try ByteBudget(limit: limit, billingDay: day, at: now, localTime: localTime)
                if let kept = former[name] {
                    budget = kept
                    try budget.change(limit: limit, billingDay: day, at: now, localTime: localTime)
                }
                budgets[name] = budget
            }
            return budgets
        }
        var book = ByteBudgetBook()
        book.connections = try budgets(limits.connections, day: limits.billingDay, keeping: connections)
        book.apps = try budgets(limits.apps, day: limits.billingDay, keeping: apps)
        return book
    }

    /// Returns how each budget stands, the connections' first, in the order of their names.
    package func statuses(at now: WallTime, localTime: LocalTimeRules) -> [BudgetStatus] {
        func statuses(_ scope: String, _ budgets: [String: ByteBudget]) -> [BudgetStatus] {
            budgets.sorted { $0.key < $1.key }.map { name, budget in
                BudgetStatus(
                    scope: scope, name: name, limit: budget.limit, used: budget.used(at: now, localTime: localTime),
                    state: budget.state(at: now, localTime: localTime).rawValue,
                    renewed: budget.nextRollOver(after: now, localTime: localTime))
            }
        }
        return statuses("connection", connections) + statuses("app", apps)
    }
}
