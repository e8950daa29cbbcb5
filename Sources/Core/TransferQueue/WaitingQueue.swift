// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// A queue of the transfers that have no attempt under way. The queue also counts slots and chooses the transfer that
/// starts next.
///
/// The scheduler uses ``IndexedQueue``. The tests compare it with a queue that examines every transfer each time.
package protocol WaitingQueue: ~Copyable, Sendable {
    /// Creates an empty queue.
    init(_ evaluator: PolicyEvaluator)

    // MARK: Transfers

    /// The number of transfers in the queue.
    var count: Int { get }
    /// Returns whether a transfer is in the queue.
    ///
    /// Marked `mutating` to avoid a copy; does not change the value.
    mutating func contains(_ id: TransferID) -> Bool
    /// Returns a transfer; `nil` if it is not in the queue.
    func entry(of id: TransferID) -> TransferEntry?
    /// Calls `body` with every transfer, in the order of their IDs.
    func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void)
    /// Adds a transfer that waits or is paused, and is not in the queue yet.
    mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ evaluator: PolicyEvaluator)
    /// Adds a new transfer, which waits and is not in the queue yet.
    mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ evaluator: PolicyEvaluator)
    /// Adds a transfer that is equivalent to the transfers in a ready heap, except for its ID and the given values.
    /// The transfer must not be in the queue yet, `notBefore` must have passed, and `heap` must be valid; see
    /// ``sharedHeap(of:)``.
    mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like heap: Int32)
    /// Returns the ready heap for ``insert(_:submitted:notBefore:expected:like:)``: the equivalence class of the
    /// transfer's requirements, valid until a transfer is removed. Returns `nil` if similar transfers must be examined
    /// individually.
    func sharedHeap(of id: TransferID) -> Int32?
    /// Removes and returns a transfer; returns `nil` if it is not in the queue.
    mutating func remove(_ id: TransferID) -> TransferEntry?
    /// A Boolean value that indicates whether a transfer waits for another window, because the rest of this window is
    /// too short at the usual rate.
    var hasBlockedBySize: Bool { get }

    // MARK: Slots

    /// Counts the slots of an attempt that continues although its transfer was changed.
    mutating func acquireSlots(of traits: borrowing TransferTraits)
    /// Frees the slots of an attempt that has ended.
    mutating func freeSlots(of traits: borrowing TransferTraits)
    /// Returns the scope whose slots keep a transfer with these traits from starting; `nil` if there is none.
    func fullSlots(for traits: borrowing TransferTraits) -> SlotScope?
    /// Returns whether no other transfer of the same app and session is in the queue or counted in the slots.
    func isLast(of traits: borrowing TransferTraits) -> Bool

    // MARK: Turns

    /// Updates the queue to the current time and conditions.
    mutating func refresh(_ evaluator: PolicyEvaluator, _ changes: SchedulerChanges)
    /// Returns the transfer that starts next; `nil` if none may start.
    ///
    /// - Parameter delaysStaggered: A Boolean value that indicates whether staggered starts wait.
    mutating func next(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> TransferID?
    /// A Boolean value that indicates whether the transfer that ``next(_:delaysStaggered:)`` returned got its turn
    /// through priority aging.
    var isChosenByAging: Bool { get }
    /// Removes the transfer that ``next(_:delaysStaggered:)`` returned, and counts its slots.
    mutating func removeNext() -> TransferEntry
    /// Returns the rank of the transfer that would start next by rank alone if one more slot of every scope were free.
    /// `until` is the time at which time alone changes the result. Returns `nil` if no transfer would start.
    mutating func contender(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> (rank: Rank, until: Instant?)?
    /// Returns the next time at which time alone may let a transfer start; `nil` if only an event can.
    ///
    /// - Parameter isWatched: A Boolean value that indicates whether a client watches wait reasons. Changes of the
    ///   policy's state then count even if they change nothing else.
    mutating func reevaluateAt(_ evaluator: PolicyEvaluator, staggeredUntil: Instant?, isWatched: Bool) -> Instant?
}

/// The changes since the last update.
package struct SchedulerChanges: Sendable {
    /// The machine's conditions changed.
    package var conditions = false
    /// Running transfers changed.
    package var running = false
    /// Budgets changed, or the bytes spent of them.
    package var budgets = false
    /// The policy changed.
    package var policy = false
    /// The plan of the deadlines changed. Only a transfer in its last chance keeps the estimate of its start.
    package var plan = false

    package init() {}

    package var isEmpty: Bool { !conditions && !running && !budgets && !policy }

    /// Removes and returns all changes.
    package mutating func removeAll() -> SchedulerChanges {
        defer { self = SchedulerChanges() }
        return self
    }

    /// Adds other changes.
    package mutating func formUnion(_ other: SchedulerChanges) {
        conditions = conditions || other.conditions
        running = running || other.running
        budgets = budgets || other.budgets
        policy = policy || other.policy
        plan = plan || other.plan
    }

    /// A Boolean value that indicates whether a running transfer may have to stop.
    package var concernRunning: Bool { !isEmpty || plan }
}
