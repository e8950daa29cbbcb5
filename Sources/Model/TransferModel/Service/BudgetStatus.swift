// SPDX-License-Identifier: Apache-2.0

/// The status of a budget for metered bytes.
package struct BudgetStatus: Hashable, Sendable, Codable {
    /// The owner of the budget: connection or app.
    package var scope: String
    /// The name of the connection or the app.
    package var name: String
    /// The limit in bytes per month.
    package var limit: Int64
    /// The bytes used since the last billing day.
    package var used: Int64
    /// The degree of use: below (less than 80 %), near, or over.
    package var state: String
    /// The next billing day.
    package var renewed: WallTime

    /// Creates a status.
    package init(scope: String, name: String, limit: Int64, used: Int64, state: String, renewed: WallTime) {
        (self.scope, self.name, self.limit, self.used) = (scope, name, limit, used)
        (self.state, self.renewed) = (state, renewed)
    }
}
