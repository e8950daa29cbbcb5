// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// The transfers that have no attempt under way: holds them, counts slots, and says which one starts next.
///
/// The scheduler uses ``IndexedQueue``; the tests hold that against a queue that looks at every transfer each time.
package protocol WaitingQueue: ~Copyable, Sendable {
    /// An empty queue.
    init(_ assessment: Assessment)

    // MARK: Transfers

    /// The number of transfers in the queue.
    var count: Int { get }
    /// Marked `mutating` to avoid a copy; does not change the value.
    mutating func contains(_ id: TransferID) -> Bool
    /// The transfer; nil if it is not in the queue.
    func entry(of id: TransferID) -> TransferEntry?
    /// Calls `body` with every transfer, in the order of their ids.
    func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void)
    /// Adds a transfer that waits or is paused, and is not in the queue yet.
    mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment)
    /// Adds a new transfer, which waits.
    mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ assessment: Assessment)
    /// Adds a transfer that differs from the one at `place` in these, a date that has come, and its id at most.
    mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like place: Int32)
    /// The number for ``insert(_:submitted:notBefore:expected:like:)``, valid until any transfer is removed; nil if each
    /// transfer like this one has to be looked at.
    func sharedPlace(of id: TransferID) -> Int32?
    /// Removes a transfer; returns nil if it is not in the queue.
    mutating func remove(_ id: TransferID) -> TransferEntry?
    /// The same, if there is nothing special about it; else does nothing and returns nil.
    mutating func removePlain(_ id: TransferID) -> PlainRecord?
    /// Whether a transfer waits for another window because the rest of this one is too short at the usual rate.
    var hasBlockedBySize: Bool { get }

    // MARK: Slots

    /// Counts an attempt that goes on though its transfer was changed.
    mutating func takeSlots(of traits: borrowing TransferTraits)
    /// Frees the slots of an attempt that has ended.
    mutating func freeSlots(of traits: borrowing TransferTraits)
    mutating func freeSlots(of plain: PlainRecord)
    /// The scope whose slots keep a transfer like this from starting; nil if none does.
    func fullSlots(for traits: borrowing TransferTraits) -> SlotScope?
    /// Whether no other transfer of the same app and session is in the queue or counted in the slots.
    func isLast(of traits: borrowing TransferTraits) -> Bool

    // MARK: Turns

    /// Takes note of how things are now.
    mutating func refresh(_ assessment: Assessment, _ changes: SchedulerChanges)
    /// The transfer that is to start next; nil if none may start.
    ///
    /// - Parameter holdsStaggered: whether starts that are staggered after an outage wait.
    mutating func next(_ assessment: Assessment, holdsStaggered: Bool) -> TransferID?
    /// Whether the transfer that ``next(_:holdsStaggered:)`` named got its turn from ageing.
    var isChosenByAging: Bool { get }
    /// Removes the transfer that was just named, and counts its slots.
    mutating func takeNext() -> TransferEntry
    /// The same, if there is nothing special about it and time alone does not end its attempt; else does nothing and
    /// returns nil.
    mutating func takeNextPlain(_ assessment: Assessment) -> PlainRecord?
    /// Counts the slots of a new transfer and returns it as if it had been added and named next: while none waits, right
    /// after ``refresh(_:_:)``. Returns nil and does nothing if it may not start, or needs a closer look.
    mutating func takeNew(
        _ traits: borrowing TransferTraits, _ assessment: Assessment, holdsStaggered: Bool
    ) -> PlainRecord?
    /// The whole of a transfer that was handed out as plain, as it was when it started.
    func entry(of plain: PlainRecord) -> TransferEntry
    /// The transfer that would start next by rank alone if one more of all slots were free, and when time alone makes it
    /// another; nil if none would.
    mutating func contender(_ assessment: Assessment, holdsStaggered: Bool) -> (rank: Rank, until: Instant?)?
    /// The next moment at which time alone may let a transfer start; nil if only an event can.
    ///
    /// - Parameter isWatched: whether somebody is told reasons: then a change of the policy's state counts that changes
    ///   nothing else.
    mutating func reevaluateAt(_ assessment: Assessment, staggeredUntil: Instant?, isWatched: Bool) -> Instant?
}

/// What has changed since things were last brought in line with what is allowed.
package struct SchedulerChanges: Sendable {
    /// The machine.
    package var conditions = false
    /// Something about transfers that run.
    package var running = false
    /// Budgets, or what is spent of them.
    package var budgets = false
    /// The policy.
    package var policy = false

    package init() {}

    package var isEmpty: Bool { !conditions && !running && !budgets && !policy }
}
