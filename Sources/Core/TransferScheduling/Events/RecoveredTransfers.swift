// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The data that the scheduler needs about a transfer that was in the store at startup.
public struct RecoveredTransfer: Hashable, Sendable {
    /// The transfer's id.
    public var id: TransferID
    /// The transfer's traits.
    public var traits: TransferTraits
    /// The transfer's progress, and the obstacles that block it.
    public var state: RecoveredState

    /// Creates a recovered transfer.
    public init(id: TransferID, traits: TransferTraits, state: RecoveredState = RecoveredState()) {
        self.id = id
        self.traits = traits
        self.state = state
    }
}

/// A compact collection of transfers that were in the store at startup, for batches of thousands.
///
/// Traits that many transfers share are stored once, as a pattern. Each transfer takes 64 bytes in addition to its
/// pattern. A long queue therefore goes from the store to ``Scheduler/recover(_:at:)`` without copying traits or
/// comparing strings. Access to an element creates a whole ``RecoveredTransfer``, which costs a copy of the traits.
public struct RecoveredTransfers: RandomAccessCollection, Sendable {
    package private(set) var patterns: [TransferTraits] = []
    package private(set) var rows: [Row] = []
    /// The states of the few transfers with individual state, by ID.
    package private(set) var states: [TransferID: RecoveredState] = [:]
    /// The indexes of the patterns that ``append(_:)`` added.
    private var numbers: [TransferTraits: Int32] = [:]

    /// Creates an empty collection with room for a number of transfers.
    public init(minimumCapacity: Int = 0) { rows.reserveCapacity(minimumCapacity) }

    /// Creates a collection of the given transfers, in order.
    public init(_ transfers: some Sequence<RecoveredTransfer>) {
        for transfer in transfers { append(transfer) }
    }

    /// Adds a transfer. Costs a hash of all its traits.
    public mutating func append(_ transfer: RecoveredTransfer) {
        let pattern = Row.pattern(of: transfer.traits)
        let number = numbers[pattern] ?? addPattern(transfer.traits)
        numbers[pattern] = number
        append(Row(transfer.id, pattern: number, transfer.traits))
        if transfer.state != RecoveredState() { setState(transfer.state, of: transfer.id) }
    }

    /// Removes the transfers that satisfy `isWanted` and returns them in order.
    public mutating func remove(where isWanted: (TransferID) -> Bool) -> [RecoveredTransfer] {
        let removed = indices.filter { isWanted(rows[$0].id) }.map { self[$0] }
        guard !removed.isEmpty else { return [] }
        rows.removeAll { isWanted($0.id) }
        for transfer in removed { states[transfer.id] = nil }
        return removed
    }

    /// The index of the first transfer, always 0.
    public var startIndex: Int { 0 }
    /// The index after the last transfer.
    public var endIndex: Int { rows.count }

    /// Returns the transfer at the given index. Costs a copy of its traits.
    public subscript(index: Int) -> RecoveredTransfer {
        let row = rows[index]
        return RecoveredTransfer(
            id: row.id, traits: row.traits(like: patterns[Int(row.pattern)]),
            state: states[row.id] ?? RecoveredState())
    }

    // MARK: For stores that group similar transfers

    /// Adds a pattern of shared traits, without the parts that a ``Row`` stores, and returns the pattern's index.
    package mutating func addPattern(_ traits: TransferTraits) -> Int32 {
        patterns.append(Row.pattern(of: traits))
        return Int32(patterns.count - 1)
    }

    /// Adds a transfer whose row refers to a pattern.
    package mutating func append(_ row: Row) { rows.append(row) }

    /// Sets the progress and obstacles of a transfer.
    package mutating func setState(_ state: RecoveredState, of id: TransferID) { states[id] = state }
}

extension RecoveredTransfers {
    /// The traits of one transfer that differ from its shared pattern, in 64 bytes.
    package struct Row: Hashable, Sendable {
        package let id: TransferID
        package let submitted: WallTime
        // Valid only if `presentFields` contains the option of the field; this applies to all dates and byte counts
        // below.
        private let deadlineDate: WallTime
        private let notBeforeDate: WallTime
        private let expectedBytes: Int64
        private let sendingBytes: Int64
        private let expiryDate: WallTime
        package let pattern: Int32
        private let presentFields: PresentFields

        private struct PresentFields: OptionSet, Hashable, Sendable {
            let rawValue: UInt8
            static var deadline: PresentFields { PresentFields(rawValue: 1) }
            static var notBefore: PresentFields { PresentFields(rawValue: 2) }
            static var expected: PresentFields { PresentFields(rawValue: 4) }
            static var sending: PresentFields { PresentFields(rawValue: 8) }
            static var expires: PresentFields { PresentFields(rawValue: 16) }
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
            var presentFields: PresentFields = deadline == nil ? [] : .deadline
            if notBefore != nil { presentFields.insert(.notBefore) }
            if expected != nil { presentFields.insert(.expected) }
            if sending != nil { presentFields.insert(.sending) }
            if expires != nil { presentFields.insert(.expires) }
            self.presentFields = presentFields
        }

        /// Creates a row from the individual parts of the traits.
        package init(_ id: TransferID, pattern: Int32, _ traits: TransferTraits) {
            self.init(
                id: id, pattern: pattern, submitted: traits.submitted, deadline: traits.constraints.deadline?.date,
                notBefore: traits.constraints.notBefore?.date, expected: traits.expectedBytesToReceive,
                sending: traits.expectedBytesToSend, expires: traits.expires)
        }

        package var deadline: WallTime? { presentFields.contains(.deadline) ? deadlineDate : nil }
        package var notBefore: WallTime? { presentFields.contains(.notBefore) ? notBeforeDate : nil }
        package var expected: Int64? { presentFields.contains(.expected) ? expectedBytes : nil }
        package var sending: Int64? { presentFields.contains(.sending) ? sendingBytes : nil }
        package var expires: WallTime? { presentFields.contains(.expires) ? expiryDate : nil }

        /// Returns the traits without their individual parts, so that other transfers can share them.
        fileprivate static func pattern(of traits: TransferTraits) -> TransferTraits {
            var shared = traits
            shared.submitted = WallTime(nanosecondsSinceEpoch: 0)
            (shared.constraints.deadline, shared.constraints.notBefore) = (nil, nil)
            (shared.expectedBytesToReceive, shared.expectedBytesToSend, shared.expires) = (nil, nil, nil)
            return shared
        }

        /// Returns the pattern completed with this row's individual parts.
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
