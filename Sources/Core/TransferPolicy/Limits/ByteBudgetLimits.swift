// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The limits on metered bytes that a user configures, without the bytes already used.
///
/// ```swift
/// let limits = try ByteBudgetLimits(connections: ["Phone": 2_000_000_000], apps: [:], billingDay: 15)
/// engine.setBudgetLimits(limits)
/// ```
public struct ByteBudgetLimits: Hashable, Sendable {
    /// The limits in bytes per month, by connection name (SSID or profile).
    public let connections: [String: Int64]
    /// The limits in bytes per month, by app identifier.
    public let apps: [String: Int64]
    /// The day of the month on which every period begins, 1…31.
    public let billingDay: Int

    /// Creates an empty set of limits, which budgets nothing.
    public init() { (connections, apps, billingDay) = ([:], [:], 1) }

    /// Creates limits for the given connections and apps.
    ///
    /// - Throws: `ByteBudgetError` if a limit is below 0 or the billing day is not in 1…31.
    public init(
        connections: [String: Int64], apps: [String: Int64], billingDay: Int = 1
    ) throws(ByteBudgetError) {
        for limit in (Array(connections.values) + Array(apps.values)).sorted() + [0] {
            try ByteBudget.check(limit: limit, billingDay: billingDay)
        }
        (self.connections, self.apps, self.billingDay) = (connections, apps, billingDay)
    }
}

extension ByteBudgetRegistry {
    /// Returns a copy with other limits.
    ///
    /// A budget that keeps a limit also keeps its used bytes. A budget without a limit is removed.
    package func limited(
        to limits: ByteBudgetLimits, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) -> ByteBudgetRegistry {
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
        var registry = ByteBudgetRegistry()
        registry.connections = try budgets(limits.connections, day: limits.billingDay, keeping: connections)
        registry.apps = try budgets(limits.apps, day: limits.billingDay, keeping: apps)
        return registry
    }

    /// Returns the status of every budget: connections first, then apps, each sorted by name.
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
