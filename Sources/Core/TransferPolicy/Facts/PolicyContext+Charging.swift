// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension PolicyContext {
    /// Counts bytes of an app that went over the present connection, which costs money: as spent, and in the budgets of
    /// both.
    ///
    /// - Parameter count: the number of bytes, not negative.
    /// - Returns: whether a budget's state has changed by that.
    package mutating func charge(meteredBytes count: Int64, app: String) -> Bool {
        let (connection, localTime) = (conditions.connection.value, conditions.localTime)
        history.spending.charge(meteredBytes: count, at: now.wall, localTime: localTime)
        guard !budgets.isEmpty else { return false }
        // Each for itself: where an app's own is spent already, its connection's may still change for others.
        let before = budgets.states(connection: connection, app: app, at: now.wall, localTime: localTime)
        // A negative number is the only thing that this would refuse.
        try? budgets.charge(count, connection: connection, app: app, at: now.wall, localTime: localTime)
        return budgets.states(connection: connection, app: app, at: now.wall, localTime: localTime) != before
    }

    /// Counts what the battery has lost by the time of new conditions as spent.
    package mutating func chargeBattery(until new: borrowing Conditions) {
        guard new.power.value == .battery, conditions.power.value == .battery,
            let before = conditions.battery.value.level, let after = new.battery.value.level, after < before
        else { return }
        history.spending.charge(batteryPercent: before - after, at: now.wall, localTime: new.localTime)
    }
}
