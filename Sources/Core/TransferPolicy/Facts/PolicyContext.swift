// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// All that a policy may look at besides the transfer it is asked about.
///
/// A plain value: the same subject in the same context gives the same verdict, in the daemon, in a test and in the lab.
public struct PolicyContext: Hashable, Sendable {
    /// The machine.
    public var conditions: Conditions
    /// Both clocks.
    public var now: Moment
    /// What was learned so far, as of its last observation.
    public var history: PolicyHistory
    /// All transfers that are not over, taken together.
    public var queue: QueueSummary
    /// Budgets of metered bytes.
    public var budgets: ByteBudgetBook

    /// A context; what is not named is empty.
    public init(
        conditions: Conditions, now: Moment, history: PolicyHistory = PolicyHistory(),
        queue: QueueSummary = QueueSummary(), budgets: ByteBudgetBook = ByteBudgetBook()
    ) {
        self.conditions = conditions
        self.now = now
        self.history = history
        self.queue = queue
        self.budgets = budgets
    }

    /// When `date` will come, to be looked at again; nil unless that lies ahead.
    public func look(at date: WallTime?) -> Instant? {
        guard let date, date > now.wall else { return nil }
        return look(at: now.instant(of: date))
    }

    /// `instant`, to be looked at again; nil unless it lies ahead.
    public func look(at instant: Instant) -> Instant? { instant > now.instant ? instant : nil }
}

/// All transfers that are not over, taken together.
public struct QueueSummary: Hashable, Sendable {
    /// How many are discretionary.
    public var discretionaryCount: Int
    /// Bytes that those still need, as far as sizes are known; those that run included.
    public var discretionaryBytes: Int64
    /// The earliest deadline of any of those.
    public var firstDeadline: WallTime?
    /// How many transfers of any kind run; those from this machine's own servers are left out.
    public var runningCount: Int
    /// When a transfer last used the network, now while one runs; nil when none has since the start.
    public var lastActivity: Instant?

    /// A summary; an empty queue where nothing is named.
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
