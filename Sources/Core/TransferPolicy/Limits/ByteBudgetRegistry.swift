// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The budgets of all connections and apps that have a limit.
///
/// A metered byte counts against the budget of its connection and the budget of its app. The budget that is closer to
/// its limit decides.
public struct ByteBudgetRegistry: Hashable, Sendable, Codable {
    /// The budgets by connection name (SSID or profile).
    public var connections: [String: ByteBudget] = [:]
    /// The budgets by app identifier.
    public var apps: [String: ByteBudget] = [:]

    /// Creates an empty registry.
    public init() {}

    /// A Boolean value that indicates whether there are no budgets.
    public var isEmpty: Bool { connections.isEmpty && apps.isEmpty }

    /// Adds metered bytes to the budgets of a connection and an app. A missing budget is ignored.
    ///
    /// - Parameters:
    ///   - bytes: The number of metered bytes, at least 0.
    ///   - connection: The name of the connection, or `nil` if the name is unknown.
    ///   - app: The name of the app.
    ///   - now: The current time.
    ///   - localTime: The rules by which the billing day begins.
    /// - Throws: `ByteBudgetError` if the count is negative. All budgets are then unchanged.
    public mutating func charge(
        _ bytes: Int64, connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        guard bytes >= 0 else { throw .negativeBytes(bytes) }
        if let connection { try connections[connection]?.charge(bytes, at: now, localTime: localTime) }
        try apps[app]?.charge(bytes, at: now, localTime: localTime)
    }

    /// Returns the higher state of the two budgets, or `nil` if neither the connection nor the app has a budget.
    public func state(
        connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) -> ByteBudget.State? {
        states(connection: connection, app: app, at: now, localTime: localTime).max()
    }

    /// Returns the states of the connection's and the app's budget, in this order. Missing budgets are left out.
    package func states(
        connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) -> [ByteBudget.State] {
        budgets(connection: connection, app: app).map { $0.state(at: now, localTime: localTime) }
    }

    /// Returns the bytes that both budgets permit, or `nil` if neither the connection nor the app has a budget.
    public func remaining(connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules) -> Int64? {
        budgets(connection: connection, app: app).map { $0.remaining(at: now, localTime: localTime) }.min()
    }

    /// Returns the start of the next period of any budget, or `nil` if there are no budgets.
    public func nextRollOver(after now: WallTime, localTime: LocalTimeRules) -> WallTime? {
        let all = Array(connections.values) + Array(apps.values)
        return all.map { $0.nextRollOver(after: now, localTime: localTime) }.min()
    }

    private func budgets(connection: String?, app: String) -> [ByteBudget] {
        [connection.flatMap { connections[$0] }, apps[app]].compactMap(\.self)
    }
}
