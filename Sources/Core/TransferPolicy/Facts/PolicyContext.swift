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
    /// A summary of all unfinished transfers.
    public var queue: QueueSummary
    /// The budgets for metered bytes.
    public var budgets: ByteBudgetRegistry

    /// Creates a context. Arguments that are left out are empty.
    public init(
        conditions: Conditions, now: ClockReading, history: PolicyHistory = PolicyHistory(),
        queue: QueueSummary = QueueSummary(), budgets: ByteBudgetRegistry = ByteBudgetRegistry()
    ) {
        self.conditions = conditions
        self.now = now
        self.history = history
        self.queue = queue
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

/// A summary of all unfinished transfers.
///
/// ```swift
/// let queue = QueueSummary(discretionaryCount: 3, discretionaryBytes: 900_000_000)
/// ```
public struct QueueSummary: Hashable, Sendable {
    /// The number of discretionary transfers.
    public var discretionaryCount: Int
    /// The bytes that all discretionary transfers still need, including the running ones. Transfers of unknown size
    /// are left out.
    public var discretionaryBytes: Int64
    /// The earliest deadline of any discretionary transfer.
    public var firstDeadline: WallTime?
    /// The number of running transfers of any kind, except transfers from the machine's own servers.
    public var runningCount: Int
    /// The last time a transfer used the network, which is now while a transfer is running. The value is `nil` if no
    /// transfer has used the network since the start.
    public var lastActivity: Instant?

    /// Creates a summary. The default is an empty queue.
    public init(
        discretionaryCount: Int = 0, discretionaryBytes: Int64 = 0, firstDeadline: WallTime? = nil,
        runningCount: Int = 0, lastActivity: Instant? = nil
    ) {
        self.discretionaryCount = discretionaryCount
        self.discretionaryBytes = discretionaryBytes
        self.firstDeadline = firstDeadline
        self.runningCount = runningCount
        self.lastActivity = lastActivity
    }
}
