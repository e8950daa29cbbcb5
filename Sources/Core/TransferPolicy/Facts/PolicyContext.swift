// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The input that a policy may examine in addition to the transfer.
///
/// A plain value: equal subjects in equal contexts get equal verdicts, in the daemon, in a test, and in
/// `transferlab`.
///
/// ```swift
/// let context = PolicyContext(conditions: conditions, now: now)
/// let verdict = policy.verdict(for: subject, in: context)
/// ```
public struct PolicyContext: Hashable, Sendable {
    /// The conditions of the machine.
    public var conditions: Conditions
    /// The current time by the wall clock and by the boot-time clock.
    public var now: ClockReading
    /// The history as of its last observation.
    public var history: PolicyHistory
    /// The budgets for metered bytes.
    public var budgets: ByteBudgetRegistry

    /// Creates a context. Arguments that are left out are empty.
    public init(
        conditions: Conditions, now: ClockReading, history: PolicyHistory = PolicyHistory(),
        budgets: ByteBudgetRegistry = ByteBudgetRegistry()
    ) {
        self.conditions = conditions
        self.now = now
        self.history = history
        self.budgets = budgets
    }

    /// Returns the instant of a re-evaluation at `date`, or `nil` if `date` is not in the future.
    public func reevaluation(at date: WallTime?) -> Instant? {
        guard let date, date > now.wall else { return nil }
        return reevaluation(at: now.instant(of: date))
    }

    /// Returns `instant` for a re-evaluation, or `nil` if `instant` is not in the future.
    public func reevaluation(at instant: Instant) -> Instant? { instant > now.instant ? instant : nil }
}

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
