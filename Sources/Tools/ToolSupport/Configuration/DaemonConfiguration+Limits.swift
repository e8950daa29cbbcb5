// SPDX-License-Identifier: Apache-2.0
package import TransferFiles
package import TransferModel
package import TransferPolicy

extension DaemonConfiguration {
    /// The budgets of metered bytes.
    package var budgetLimits: ByteBudgetLimits {
        // The numbers were already checked key by key.
        (try? ByteBudgetLimits(connections: connectionBudgets, apps: appBudgets, billingDay: billingDay))
            ?? ByteBudgetLimits()
    }

    /// The limits of the executor's rate outside all windows.
    package var limits: RateLimits { RateLimits(global: rateLimit, yieldsToForeground: yieldsToOtherTraffic) }

    /// Returns the limits of the executor's rate at a time, and the time until which they last.
    package func limits(at now: ClockReading, localTime: LocalTimeRules) -> (limits: RateLimits, until: Instant?) {
        var (limits, changes): (RateLimits, [Instant]) = (limits, [])
        var rates: [Int64] = []
        for entry in rateWindows {
            switch entry.window.verdict(at: now, localTime: localTime) {
            case .run(_, let closing):
                rates.append(entry.rate)
                changes += closing.map { [$0] } ?? []
            case .wait(_, let opening): changes += opening.map { [$0] } ?? []
            }
        }
        limits.global = rates.min() ?? limits.global
        return (limits, changes.min())
    }
}

/// A rate for a part of the local week.
package struct RateWindow: Hashable, Sendable {
    /// The part of the week.
    package var window: WindowConstraint
    /// The maximum rate of all transfers together, in bytes per second.
    package var rate: Int64
}
