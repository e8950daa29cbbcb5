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
}

/// A rate for a part of the local week.
package struct RateWindow: Hashable, Sendable {
    /// The part of the week.
    package var window: WindowConstraint
    /// The maximum rate of all transfers together, in bytes per second.
    package var rate: Int64
}

extension [RateWindow] {
    /// Returns the lowest rate of the windows that are open at a time, or `nil` if none is, and the time until which it
    /// lasts.
    package func rate(at now: ClockReading, localTime: LocalTimeRules) -> (rate: Int64?, until: Instant?) {
        var (rates, changes): ([Int64], [Instant]) = ([], [])
        for entry in self {
            switch entry.window.verdict(at: now, localTime: localTime) {
            case .run(_, let closing):
                rates.append(entry.rate)
                changes += closing.map { [$0] } ?? []
            case .wait(_, let opening): changes += opening.map { [$0] } ?? []
            }
        }
        return (rates.min(), changes.min())
    }
}
