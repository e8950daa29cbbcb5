// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What turns go by: first the earlier deadline, then the lower id. Kept beside what it stands for, so that finding out
/// whose turn it is touches no transfer.
struct TurnKey: Hashable, Sendable {
    /// `Int64.max` for none.
    var deadline = Int64.max
    var id = Int64.max

    @inline(__always)
    func precedes(_ other: TurnKey) -> Bool { precedes(other, turn: 0, otherTurn: 0) }

    /// The same between apps, whose last turns come before the ids.
    @inline(__always)
    func precedes(_ other: TurnKey, turn: Int64, otherTurn: Int64) -> Bool {
        if deadline != other.deadline { return deadline < other.deadline }
        return turn != otherTurn ? turn < otherTurn : id < other.id
    }
}

/// Transfers of one class, rank and lane that wait for nothing but their turn.
struct Bucket: Sendable {
    let key: IndexedQueue.PlaceKey
    let appQueue: Int32
    let lane: Int32
    /// Those without deadline that came in the order of their ids.
    var first = TransferRecord.none
    var last = TransferRecord.none
    /// The id of the last of these.
    var lastID = Int64.min
    /// Those with deadlines, and those that came back out of order.
    var heap = IndexedHeap()
    /// How many are in one of the two.
    var linked: Int32 = 0
    /// How many belong here, with those that wait for something of their own.
    var members: Int32 = 0
    /// Where it lies in its app queue's heap; none while it is not in it.
    var position = TransferRecord.none
    /// Whether it waits for a slot of its host or session.
    var isParked = false
    /// The first of it; means something while anything is linked.
    var head = TurnKey()
}

/// An app's buckets on one shelf, by who is first in them.
struct AppQueue: Sendable {
    let shelf: Int32
    let app: Int32
    var heap = IndexedHeap()
    /// How many buckets it has, those that are empty or parked included.
    var buckets: Int32 = 0
    /// Where it lies in its shelf's list; none while it is not in it.
    var position = TransferRecord.none
    /// Whether it waits for a slot of its app.
    var isParked = false
}

/// An app queue on its shelf, with what is asked about it again and again.
struct ShelfEntry: Sendable {
    let appQueue: Int32
    let app: Int32
    var bucket: Int32
    var lane: Int32
    var top: TurnKey
}

/// All app queues of one class and rank.
struct Shelf: Sendable {
    /// Nobody has looked who is first.
    static var unknown: Int32 { -1 }
    /// No app's turn: whose turn it is has to be found out anew.
    private static var neverTurn: Int64 { -1 }

    /// Its class.
    let number: Int32
    let level: Int32
    /// Whether what lies here may be too long for its window.
    let hasWindow: Bool
    /// Those that have something to start.
    var appQueues: [ShelfEntry] = []
    /// Whose turn it is, as an index of these, while that app's last turn is ``bestTurn``; whose it was otherwise.
    var best = unknown
    /// That app's last turn when it was found out.
    var bestTurn: Int64 = 0
    var bestKey = TurnKey()
    /// Whether that was found out among some of them only, the budgets of the others being spent.
    var isBestOfSome = false

    init(number: Int32, level: Int32, hasWindow: Bool) {
        self.number = number
        self.level = level
        self.hasWindow = hasWindow
    }

    /// Takes note that another transfer is first at a position.
    ///
    /// What is known of the best goes before all others, even where it has moved back since and has to be found out
    /// anew: so what goes before that is the best.
    @inline(__always)
    mutating func changed(_ position: Int32, to key: TurnKey, turn: Int64) {
        guard best != Self.unknown else { return }
        if position == best {
            if bestKey.precedes(key) { bestTurn = Self.neverTurn } else { bestKey = key }
        } else if key.precedes(bestKey, turn: turn, otherTurn: bestTurn) {
            (best, bestKey, bestTurn) = (position, key, turn)
        }
    }

    /// Takes note that what is at a position goes, and what is last comes there.
    @inline(__always)
    mutating func removed(_ position: Int32) {
        if position == best {
            best = Self.unknown
        } else if Int(best) == appQueues.count - 1 {
            best = position
        }
    }
}

/// A rank: those with a better one go first.
struct Level: Sendable {
    let isUserInitiated: Bool
    let priority: Int
    let hasDeadline: Bool
    /// The shelf of each class; none where it has none.
    var shelves: [Int32] = []
    /// The classes whose shelf has something to start.
    var filled: BitSet
    /// How many starts in a row have gone past something that might have been started here.
    var passedOver = 0

    init(_ traits: borrowing TransferTraits, capacity: Int) {
        isUserInitiated = traits.kind == .userInitiated
        priority = traits.priority
        hasDeadline = traits.constraints.deadline != nil
        filled = BitSet(capacity: capacity)
    }

    func precedes(_ other: Level) -> Bool {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated }
        if priority != other.priority { return priority > other.priority }
        return hasDeadline && !other.hasDeadline
    }
}
