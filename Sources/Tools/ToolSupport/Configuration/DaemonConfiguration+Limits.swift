// SPDX-License-Identifier: Apache-2.0
package import TransferFiles
package import TransferPolicy

extension DaemonConfiguration {
    /// The budgets of metered bytes.
    package var budgetLimits: ByteBudgetLimits {
        // The numbers were already checked key by key.
        (try? ByteBudgetLimits(connections: connectionBudgets, apps: appBudgets, billingDay: billingDay))
            ?? ByteBudgetLimits()
    }

    /// The limits of the executor's rate.
    package var limits: RateLimits { RateLimits(global: rateLimit, yieldsToForeground: yieldsToOtherTraffic) }
}
