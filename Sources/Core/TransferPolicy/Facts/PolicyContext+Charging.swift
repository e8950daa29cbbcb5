// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension PolicyContext {
    /// Charges metered bytes of an app on the present connection to the budgets of both.
    ///
    /// - Parameter count: The number of bytes, at least 0.
    /// - Returns: A Boolean value that indicates whether the state of a budget changed.
    package mutating func charge(meteredBytes count: Int64, app: String) -> Bool {
        let (connection, localTime) = (conditions.connection.value, conditions.localTime)
        guard !budgets.isEmpty else { return false }
        // Each for itself: where an app's own is spent already, its connection's may still change for others.
        let before = budgets.states(connection: connection, app: app, at: now.wall, localTime: localTime)
        // A negative number is the only thing that this would refuse.
        try? budgets.charge(count, connection: connection, app: app, at: now.wall, localTime: localTime)
        return budgets.states(connection: connection, app: app, at: now.wall, localTime: localTime) != before
    }
}
