// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// One waiting transfer in the queue, as small as it gets: 72 bytes.
///
/// What it shares with others lies in its bucket; what few transfers have lies in a whole ``TransferEntry`` beside it.
struct TransferRecord: Sendable {
    /// Stands for "nothing there" in links.
    static var none: Int32 { -1 }

    let id: Int64
    let wishes: Wishes
    /// The place of its timer in its family's wheel; means something while it has one.
    var timer: UInt32 = 0
    var bucket = none
    /// The next in its bucket's list.
    var next = none
    /// The one before in its bucket's list, or its position in the bucket's heap.
    var previous = none
    /// Its whole entry, where that says more than this.
    var extra = none
    var state: State = []

    struct State: OptionSet, Sendable {
        let rawValue: UInt8
        /// In its bucket's list.
        static var listed: State { State(rawValue: 1) }
        /// In its bucket's heap.
        static var heaped: State { State(rawValue: 2) }
        /// Has a timer on the boot-time clock.
        static var bootTimer: State { State(rawValue: 4) }
        /// Has a timer on the wall clock.
        static var wallTimer: State { State(rawValue: 8) }
        /// The policy is asked about it alone.
        static var individual: State { State(rawValue: 16) }
        /// The rest of its window is too short for it.
        static var misfit: State { State(rawValue: 32) }
    }

    /// What it shares with no other.
    struct Wishes: Sendable {
        let submitted: Int64
        /// `Int64.max` where it has none.
        let deadline: Int64
        /// `Int64.min` where it has none.
        let notBefore: Int64
        /// Bytes expected to come in; below 0 where unknown.
        let expected: Int64
        /// `Int64.max` where it is never given up.
        let expires: Int64

        init(_ traits: borrowing TransferTraits) {
            submitted = traits.submitted.nanosecondsSinceEpoch
            deadline = traits.constraints.deadline?.date.nanosecondsSinceEpoch ?? .max
            notBefore = traits.constraints.notBefore?.date.nanosecondsSinceEpoch ?? .min
            expected = traits.expectedBytesToReceive ?? -1
            expires = traits.expires?.nanosecondsSinceEpoch ?? .max
        }

        /// Of one that has no deadline and is never given up.
        init(_ row: RecoveredTransfers.Row) {
            submitted = row.submitted.nanosecondsSinceEpoch
            deadline = .max
            notBefore = row.notBefore?.nanosecondsSinceEpoch ?? .min
            expected = row.expected ?? -1
            expires = .max
        }
    }

    init(_ id: TransferID, _ traits: borrowing TransferTraits) {
        self.id = id.rawValue
        wishes = Wishes(traits)
    }

    var deadline: Int64 { wishes.deadline }

    /// One that has no deadline and is never given up, in its bucket.
    init(_ row: RecoveredTransfers.Row, bucket: Int32) {
        id = row.id.rawValue
        wishes = Wishes(row)
        self.bucket = bucket
    }

    /// What its turn goes by.
    var turnKey: TurnKey { TurnKey(deadline: deadline, id: id) }

    var isLinked: Bool { !state.isDisjoint(with: [.listed, .heaped]) }
}

extension TransferEntry {
    /// Whether a record and its bucket say all there is to say of it.
    var isPlain: Bool {
        guard case .waiting(nil) = phase else { return false }
        return bytes == 0 && total == nil && rate == nil && mostBytes == 0 && failures == 0 && checksumFailures == 0
            && barren == .zero && isOrdinary && traits.isPlain
    }
}

extension TransferTraits {
    /// The same of what it asks for.
    var isPlain: Bool {
        // The ends of the range stand for "none" in a record.
        expectedBytesToSend == nil && (0...1000).contains(priority) && (expectedBytesToReceive ?? 0) >= 0
            && maximumAttempts == nil && isFromBackground == nil
            && constraints.deadline?.date.nanosecondsSinceEpoch != .max
            && constraints.notBefore?.date.nanosecondsSinceEpoch != .min && expires?.nanosecondsSinceEpoch != .max
    }
}
