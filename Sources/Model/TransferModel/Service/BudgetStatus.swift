// SPDX-License-Identifier: Apache-2.0

/// The state of one budget of metered bytes.
package struct BudgetStatus: Hashable, Sendable, Codable {
    /// The kind of thing that has the budget: connection or app.
    package var scope: String
    /// The connection's or the app's name.
    package var name: String
    /// Bytes a month.
    package var limit: Int64
    /// Bytes that were spent since the billing day.
    package var used: Int64
    /// The share that is spent: below (less than 80 %), near or over.
    package var state: String
    /// The next billing day.
    package var renewed: WallTime

    /// A budget's state.
    package init(scope: String, name: String, limit: Int64, used: Int64, state: String, renewed: WallTime) {
        (self.scope, self.name, self.limit, self.used) = (scope, name, limit, used)
        (self.state, self.renewed) = (state, renewed)
    }
}
