// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What the deciding code needs of a transfer that was in the store when the program started.
public struct RecoveredTransfer: Hashable, Sendable {
    /// Its number.
    public var id: TransferID
    /// What it asks for.
    public var traits: TransferTraits
    /// How far it is, and what holds it.
    public var state: RecoveredState

    /// A transfer.
    public init(id: TransferID, traits: TransferTraits, state: RecoveredState = RecoveredState()) {
        self.id = id
        self.traits = traits
        self.state = state
    }
}

/// Transfers that were in the store when the program started, thousands at a time.
///
/// What many of them ask for alike is kept once, as a pattern, and each takes 64 bytes beside it: so a long queue goes
/// from the store to ``Scheduler/take(_:at:)`` without a copy or a look at anybody's names. To make a whole
/// ``RecoveredTransfer`` of one, as the elements are, costs such a copy.
public struct RecoveredTransfers: RandomAccessCollection, Sendable {
    package private(set) var patterns: [TransferTraits] = []
    package private(set) var rows: [Row] = []
    /// What few of them have, by their numbers.
    package private(set) var states: [TransferID: RecoveredState] = [:]
    /// The patterns that ``append(_:)`` has made.
    private var numbers: [TransferTraits: Int32] = [:]

    /// None yet, with room for so many.
    public init(minimumCapacity: Int = 0) { rows.reserveCapacity(minimumCapacity) }

    /// These, in their order.
    public init(_ transfers: some Sequence<RecoveredTransfer>) {
        for transfer in transfers { append(transfer) }
    }

    /// Adds one. Costs a look at all that it asks for.
    public mutating func append(_ transfer: RecoveredTransfer) {
        let pattern = Row.pattern(of: transfer.traits)
        let number = numbers[pattern] ?? addPattern(transfer.traits)
        numbers[pattern] = number
        append(Row(transfer.id, pattern: number, transfer.traits))
        if transfer.state != RecoveredState() { setState(transfer.state, of: transfer.id) }
    }

    /// Takes out those that `isWanted` names, and gives them back in their order.
    public mutating func remove(where isWanted: (TransferID) -> Bool) -> [RecoveredTransfer] {
        let removed = indices.filter { isWanted(rows[$0].id) }.map { self[$0] }
        guard !removed.isEmpty else { return [] }
        rows.removeAll { isWanted($0.id) }
        for transfer in removed { states[transfer.id] = nil }
        return removed
    }

    /// Where the first is.
    public var startIndex: Int { 0 }
    /// Behind the last.
    public var endIndex: Int { rows.count }

    /// One of them, made whole.
    public subscript(index: Int) -> RecoveredTransfer {
        let row = rows[index]
        return RecoveredTransfer(
            id: row.id, traits: row.traits(like: patterns[Int(row.pattern)]),
            state: states[row.id] ?? RecoveredState())
    }

    // MARK: For stores that know who is like whom

    /// Adds what many may ask for, without what a ``Row`` says, and gives its number.
    package mutating func addPattern(_ traits: TransferTraits) -> Int32 {
        patterns.append(Row.pattern(of: traits))
        return Int32(patterns.count - 1)
    }

    /// Adds one that is like a pattern.
    package mutating func append(_ row: Row) { rows.append(row) }

    /// Says how far one is, and what holds it.
    package mutating func setState(_ state: RecoveredState, of id: TransferID) { states[id] = state }
}

extension RecoveredTransfers {
    /// The traits that each transfer has for itself, beside the pattern that it shares with others: 64 bytes.
    package struct Row: Hashable, Sendable {
        package let id: TransferID
        package let submitted: WallTime
        // Means nothing where `parts` does not have it.
        private let deadlineDate: WallTime
        private let notBeforeDate: WallTime
        private let expectedBytes: Int64
        private let sendingBytes: Int64
        private let expiryDate: WallTime
        package let pattern: Int32
        private let parts: Parts

        private struct Parts: OptionSet, Hashable, Sendable {
            let rawValue: UInt8
            static var deadline: Parts { Parts(rawValue: 1) }
            static var notBefore: Parts { Parts(rawValue: 2) }
            static var expected: Parts { Parts(rawValue: 4) }
            static var sending: Parts { Parts(rawValue: 8) }
            static var expires: Parts { Parts(rawValue: 16) }
        }

        package init(
            id: TransferID, pattern: Int32, submitted: WallTime, deadline: WallTime?, notBefore: WallTime?,
            expected: Int64?, sending: Int64?, expires: WallTime?
        ) {
            self.id = id
            self.pattern = pattern
            self.submitted = submitted
            let zero = WallTime(nanosecondsSinceEpoch: 0)
            (deadlineDate, notBeforeDate, expiryDate) = (deadline ?? zero, notBefore ?? zero, expires ?? zero)
            (expectedBytes, sendingBytes) = (expected ?? 0, sending ?? 0)
            var parts: Parts = deadline == nil ? [] : .deadline
            if notBefore != nil { parts.insert(.notBefore) }
            if expected != nil { parts.insert(.expected) }
            if sending != nil { parts.insert(.sending) }
            if expires != nil { parts.insert(.expires) }
            self.parts = parts
        }

        /// What these traits have for themselves.
        package init(_ id: TransferID, pattern: Int32, _ traits: TransferTraits) {
            self.init(
                id: id, pattern: pattern, submitted: traits.submitted, deadline: traits.constraints.deadline?.date,
                notBefore: traits.constraints.notBefore?.date, expected: traits.expectedBytesToReceive,
                sending: traits.expectedBytesToSend, expires: traits.expires)
        }

        package var deadline: WallTime? { parts.contains(.deadline) ? deadlineDate : nil }
        package var notBefore: WallTime? { parts.contains(.notBefore) ? notBeforeDate : nil }
        package var expected: Int64? { parts.contains(.expected) ? expectedBytes : nil }
        package var sending: Int64? { parts.contains(.sending) ? sendingBytes : nil }
        package var expires: WallTime? { parts.contains(.expires) ? expiryDate : nil }

        /// What others may have in common with these traits.
        fileprivate static func pattern(of traits: TransferTraits) -> TransferTraits {
            var shared = traits
            shared.submitted = WallTime(nanosecondsSinceEpoch: 0)
            (shared.constraints.deadline, shared.constraints.notBefore) = (nil, nil)
            (shared.expectedBytesToReceive, shared.expectedBytesToSend, shared.expires) = (nil, nil, nil)
            return shared
        }

        /// A pattern with what this one has for itself.
        package func traits(like pattern: TransferTraits) -> TransferTraits {
            var traits = pattern
            traits.submitted = submitted
            traits.constraints.deadline = deadline.map { DeadlineConstraint($0) }
            traits.constraints.notBefore = notBefore.map { NotBeforeConstraint($0) }
            (traits.expectedBytesToReceive, traits.expectedBytesToSend) = (expected, sending)
            traits.expires = expires
            return traits
        }
    }
}
