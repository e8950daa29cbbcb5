// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// One waiting transfer as small as it gets: 72 bytes.
///
/// What it shares with others lies in its ready heap; what few transfers have lies in a whole ``TransferEntry`` beside it.
struct TransferRecord: Sendable {
    // In this order, so that all that is read of a transfer beside another one lies together in memory.
    /// The ready heap that it belongs to, whether it is in there or waits for something of its own.
    var heap = Int32.nowhere
    /// The position in its ready heap; `nowhere` unless the transfer is ready.
    var position = Int32.nowhere
    /// The position in the timer heap of its requirement set; `nowhere` if it has no timer.
    var timer = Int32.nowhere
    /// Its whole entry, if that says more than this.
    var extra = Int32.nowhere
    var clock = Clock.boot
    /// Whether the policy is asked about it alone.
    var isIndividual = false
    /// Whether the rest of its window is too short for its size.
    var isBlockedBySize = false
    let id: Int64
    let terms: TransferTerms

    init(_ id: TransferID, _ terms: TransferTerms) {
        self.id = id.rawValue
        self.terms = terms
    }

    var turnKey: TurnKey { TurnKey(deadline: terms.deadline, id: id) }
}

/// The dates and the size, which are shared with no other transfer.
package struct TransferTerms: Sendable {
    /// `Int64.max` for none.
    let deadline: Int64
    let submitted: Int64
    /// `Int64.min` for none.
    let notBefore: Int64
    /// Bytes expected to come in; below 0 if unknown.
    let expected: Int64
    /// `Int64.max` for never.
    let expires: Int64

    init(_ traits: borrowing TransferTraits) {
        submitted = traits.submitted.nanosecondsSinceEpoch
        deadline = traits.constraints.deadline?.date.nanosecondsSinceEpoch ?? .max
        notBefore = traits.constraints.notBefore?.date.nanosecondsSinceEpoch ?? .min
        expected = traits.expectedBytesToReceive ?? -1
        expires = traits.expires?.nanosecondsSinceEpoch ?? .max
    }

    /// Terms without a deadline and an end.
    init(submitted: WallTime, notBefore: WallTime?, expected: Int64?) {
        self.submitted = submitted.nanosecondsSinceEpoch
        self.notBefore = notBefore?.nanosecondsSinceEpoch ?? .min
        self.expected = expected ?? -1
        (deadline, expires) = (.max, .max)
    }
}

/// The order among transfers of one app and priority level: the earlier deadline first, then the lower id.
struct TurnKey: Comparable, Sendable {
    /// `Int64.max` for none.
    var deadline = Int64.max
    var id = Int64.max

    @inline(__always)
    static func < (left: TurnKey, right: TurnKey) -> Bool {
        left.precedes(right, turn: 0, otherTurn: 0)
    }

    /// The same between apps, whose last turns come before the ids.
    @inline(__always)
    func precedes(_ other: TurnKey, turn: Int64, otherTurn: Int64) -> Bool {
        if deadline != other.deadline { return deadline < other.deadline }
        return turn != otherTurn ? turn < otherTurn : id < other.id
    }
}

extension TransferEntry {
    /// Whether a record and its ready heap say all there is to say of it.
    var isPlain: Bool {
        guard case .waiting(nil) = phase else { return false }
        return bytes == 0 && total == nil && rate == nil && mostBytes == 0 && failures == 0 && checksumFailures == 0
            && barren == .zero && isOrdinary && traits.isPlain
    }
}

extension TransferTraits {
    /// Whether a record and its ready heap say all that these ask for.
    var isPlain: Bool {
        // The ends of the range stand for "none" in a record.
        expectedBytesToSend == nil && (0...1000).contains(priority) && (expectedBytesToReceive ?? 0) >= 0
            && maximumAttempts == nil && isFromBackground == nil
            && constraints.deadline?.date.nanosecondsSinceEpoch != .max
            && constraints.notBefore?.date.nanosecondsSinceEpoch != .min && expires?.nanosecondsSinceEpoch != .max
    }
}
