// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The budgets of all connections and apps that have one.
///
/// A metered byte counts against its connection's budget and its app's; the one that is used up further decides.
public struct ByteBudgetBook: Hashable, Sendable, Codable {
    /// By the connection's name (SSID or profile).
    public var connections: [String: ByteBudget] = [:]
    /// By the app's identifier.
    public var apps: [String: ByteBudget] = [:]

    /// A book without budgets.
    public init() {}

    /// Whether there is no budget at all.
    public var isEmpty: Bool { connections.isEmpty && apps.isEmpty }

    /// Metered bytes of an app went over a connection; nil where its name is unknown.
    ///
    /// - Throws: for fewer than none; nothing is changed then.
    public mutating func charge(
        _ bytes: Int64, connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        guard bytes >= 0 else { throw .negativeBytes(bytes) }
        if let connection { try connections[connection]?.charge(bytes, at: now, localTime: localTime) }
        try apps[app]?.charge(bytes, at: now, localTime: localTime)
    }

    /// How far the tighter of the two is used up; nil where neither has a budget.
    public func state(
        connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) -> ByteBudget.State? {
        states(connection: connection, app: app, at: now, localTime: localTime).max()
    }

    /// How far each of the two is used up, the connection's first; without what has no budget.
    package func states(
        connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules
    ) -> [ByteBudget.State] {
        budgets(connection: connection, app: app).map { $0.state(at: now, localTime: localTime) }
    }

    /// Bytes that both allow; nil where neither has a budget.
    public func remaining(connection: String?, app: String, at now: WallTime, localTime: LocalTimeRules) -> Int64? {
        budgets(connection: connection, app: app).map { $0.remaining(at: now, localTime: localTime) }.min()
    }

    /// When the next period of any budget begins; nil where there is none.
    public func nextRollOver(after now: WallTime, localTime: LocalTimeRules) -> WallTime? {
        let all = Array(connections.values) + Array(apps.values)
        return all.map { $0.nextRollOver(after: now, localTime: localTime) }.min()
    }

    private func budgets(connection: String?, app: String) -> [ByteBudget] {
        [connection.flatMap { connections[$0] }, apps[app]].compactMap(\.self)
    }
}
