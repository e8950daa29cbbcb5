// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// Holds the transfers that have no attempt under way, counts the slots, and says which transfer starts next.
///
/// The scheduler uses ``IndexedQueue``; the tests hold that against one that looks at every transfer each time.
protocol WaitingQueue: ~Copyable, Sendable {
    /// What it hands out of a transfer that starts and has nothing special about it.
    associatedtype Plain: PlainTransfer
    /// Where transfers lie that ask for the same.
    associatedtype SharedPlace: Sendable

    /// An empty queue.
    init(_ assessment: Assessment)

    /// How many transfers are in it.
    var count: Int { get }
    /// Whether it is here.
    func contains(_ id: TransferID) -> Bool
    /// The transfer; nil where it is not here.
    func entry(of id: TransferID) -> TransferEntry?
    /// Calls `body` with every transfer, in the order of their ids.
    func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void)
    /// Takes a transfer in that waits or is paused, and is not here yet.
    mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment)
    /// The same with one that is new, and waits.
    mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ assessment: Assessment)
    /// Takes in a transfer that belongs where another one that asks for the same was put, and differs from that in its
    /// number, its submission, its size and a past not-before date at most.
    mutating func insert(_ row: RecoveredTransfers.Row, at place: SharedPlace)
    /// Where those belong that ask for the same as this one, until any is taken out; nil where each of them is to be looked
    /// at.
    func sharedPlace(of id: TransferID) -> SharedPlace?
    /// Takes a transfer out; nil where it is not here.
    mutating func remove(_ id: TransferID) -> TransferEntry?
    /// Gives back the slots of an attempt that has ended.
    mutating func freeSlots(of traits: borrowing TransferTraits)
    /// Counts an attempt that goes on though its transfer was changed.
    mutating func takeSlots(of traits: borrowing TransferTraits)
    /// Takes note of how things are now.
    mutating func refresh(_ assessment: Assessment, _ changes: SchedulerChanges)
    /// Says which transfer is to start next, which ``takeNext()`` then takes out; nil where none may start.
    mutating func next(_ assessment: Assessment, isGateClosed: Bool) -> TransferID?
    /// The transfer that would start next by rank alone if one more of all slots were free, and when time alone makes it
    /// another; nil where none would.
    mutating func contender(_ assessment: Assessment, isGateClosed: Bool) -> (rank: Rank, until: Instant?)?
    /// Whether the transfer that ``next(_:isGateClosed:)`` named got its turn from ageing.
    var isChosenByAging: Bool { get }
    /// Takes out the transfer that is to start, right after it was named, and counts its slots.
    mutating func takeNext() -> TransferEntry
    /// The same where there is nothing special about it and time alone does not end its attempt; else nil, and nothing is
    /// done.
    mutating func takeNextPlain(_ assessment: Assessment) -> Plain?
    /// Counts the slots of a transfer that is new and hands it out as if it had been put in and named next: while none
    /// waits, right after ``refresh(_:_:)``. Nil where it may not start or needs a closer look, and nothing is done.
    mutating func takeNew(
        _ traits: borrowing TransferTraits, _ assessment: Assessment, isGateClosed: Bool
    ) -> Plain?
    /// The whole of what was handed out so, as it was when it started.
    func entry(of plain: Plain) -> TransferEntry
    /// Gives back its slots.
    mutating func freeSlots(of plain: Plain)
    /// Whether a transfer waits for another window because this one is too short at the usual rate.
    var hasMisfits: Bool { get }
    /// Whether no other transfer of the same app and session is here or counted in the slots.
    func isLast(of traits: borrowing TransferTraits) -> Bool
    /// Whose slots keep a transfer like this from starting; nil where they do not.
    func fullSlots(for traits: borrowing TransferTraits) -> SlotScope?
    /// The next moment at which time alone may let a transfer start; nil where only an event can.
    ///
    /// - Parameter isWatched: whether somebody is told reasons: then a change of the policy's mood counts that changes
    ///   nothing else.
    mutating func nextMoment(_ assessment: Assessment, gate: Instant?, isWatched: Bool) -> Instant?
}

/// What has changed since things were last brought in line with what is allowed.
struct SchedulerChanges: OptionSet, Sendable {
    let rawValue: UInt8

    /// The machine.
    static let conditions = SchedulerChanges(rawValue: 1)
    /// Something about transfers that run.
    static let running = SchedulerChanges(rawValue: 2)
    /// Budgets or what is spent of them.
    static let budgets = SchedulerChanges(rawValue: 4)
    /// The policy.
    static let policy = SchedulerChanges(rawValue: 8)
}
