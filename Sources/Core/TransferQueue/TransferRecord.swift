// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A waiting transfer in its smallest form, 72 bytes.
///
/// State that the transfer shares with others is in its ready heap. State that few transfers have is in a complete
/// ``TransferEntry`` beside the record.
struct TransferRecord: Sendable {
    // The order of the members keeps everything that is read together close in memory.
    /// The transfer's ready heap, whether the transfer is in the heap or waits for one of its own reasons.
    var heap = Int32.noIndex
    /// The position in its ready heap; `noIndex` unless the transfer is ready.
    var position = Int32.noIndex
    /// The position in the timer heap of its requirement set; `noIndex` if it has no timer.
    var timer = Int32.noIndex
    /// The complete entry, if it contains more than the record; `noIndex` otherwise.
    var extra = Int32.noIndex
    var clock = Clock.boot
    /// A Boolean value that indicates whether the transfer is too large for the rest of its window.
    var isBlockedBySize = false
    /// A Boolean value that indicates whether the transfer goes behind others because its deadline has passed.
    var isLate = false
    let id: Int64
    let terms: TransferTerms

    init(_ id: TransferID, _ terms: TransferTerms) {
        self.id = id.rawValue
        self.terms = terms
    }

    var turnKey: TurnKey { TurnKey(deadline: terms.deadline, id: id, isLate: isLate) }
}

/// The dates and the size of a transfer, which it shares with no other transfer.
struct TransferTerms: Sendable {
    /// The deadline in nanoseconds since the epoch; `Int64.max` if there is none.
    let deadline: Int64
    let submitted: Int64
    /// The earliest start in nanoseconds since the epoch; `Int64.min` if there is none.
    let notBefore: Int64
    /// The number of bytes to receive; negative if it is unknown.
    let expected: Int64
    /// The expiry in nanoseconds since the epoch; `Int64.max` if the transfer never expires.
    let expires: Int64

    init(_ traits: borrowing TransferTraits) {
        submitted = traits.submitted.nanosecondsSinceEpoch
        deadline = traits.constraints.deadline?.date.nanosecondsSinceEpoch ?? .max
        notBefore = traits.constraints.notBefore?.date.nanosecondsSinceEpoch ?? .min
        expected = traits.expectedBytesToReceive ?? -1
        expires = traits.expires?.nanosecondsSinceEpoch ?? .max
    }

    /// Creates terms without a deadline and without an expiry.
    init(submitted: WallTime, notBefore: WallTime?, expected: Int64?) {
        self.submitted = submitted.nanosecondsSinceEpoch
        self.notBefore = notBefore?.nanosecondsSinceEpoch ?? .min
        self.expected = expected ?? -1
        (deadline, expires) = (.max, .max)
    }
}

/// The order among transfers of one app and priority level: punctual before late transfers, then the earlier deadline,
/// then the lower ID.
struct TurnKey: Comparable, Sendable {
    /// The deadline in nanoseconds since the epoch; `Int64.max` if there is none.
    var deadline = Int64.max
    var id = Int64.max
    /// A Boolean value that indicates whether the deadline counts as passed. A key that becomes late while it is in a
    /// heap is updated before the heap's first member is used.
    var isLate = false

    @inline(__always)
    static func < (left: TurnKey, right: TurnKey) -> Bool {
        left.precedes(right, turn: 0, otherTurn: 0)
    }

    /// Returns whether the deadline has passed and the key does not say so yet.
    @inline(__always)
    func isOverdue(at date: Int64) -> Bool { !isLate && deadline <= date }

    /// Returns whether this transfer goes before another app's transfer. The apps' last turns count before the IDs.
    @inline(__always)
    func precedes(_ other: TurnKey, turn: Int64, otherTurn: Int64) -> Bool {
        if isLate != other.isLate { return other.isLate }
        if deadline != other.deadline { return deadline < other.deadline }
        return turn != otherTurn ? turn < otherTurn : id < other.id
    }
}

extension TransferEntry {
    /// A Boolean value that indicates whether a record and its ready heap describe the transfer completely.
    var isPlain: Bool {
        guard case .waiting(nil) = phase else { return false }
        return bytes == 0 && total == nil && rate == nil && mostBytes == 0 && failures == 0 && checksumFailures == 0
            && timeWithoutProgress == .zero && isOrdinary && traits.isPlain
    }
}

extension TransferTraits {
    /// A Boolean value that indicates whether a record and its ready heap describe these traits completely.
    var isPlain: Bool {
        // The ends of the range stand for "none" in a record.
        expectedBytesToSend == nil && (0...1000).contains(priority) && (expectedBytesToReceive ?? 0) >= 0
            && maximumAttempts == nil && isFromBackground == nil && policy == nil && rateLimit == nil
            && constraints.deadline?.date.nanosecondsSinceEpoch != .max
            && constraints.notBefore?.date.nanosecondsSinceEpoch != .min && expires?.nanosecondsSinceEpoch != .max
    }
}
