// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The rank of a transfer, which decides whether the transfer may preempt another transfer.
package struct Rank: Hashable, Sendable {
    let isUserInitiated: Bool
    let priority: Int
    /// The deadline in nanoseconds since the epoch; `Int64.max` if there is none.
    let deadline: Int64
    /// A Boolean value that indicates whether the transfer goes behind others because its deadline has passed.
    let isLate: Bool
    let app: String
    let id: Int64

    /// Returns whether this rank is high enough to take the other transfer's slot.
    ///
    /// IDs break ties only within an app. Between apps, taking turns breaks ties: otherwise, apps would preempt one
    /// another endlessly.
    package func outranks(_ other: Rank) -> Bool {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated }
        if priority != other.priority { return priority > other.priority }
        // Work with a deadline goes before work without one, even when late.
        if isLate != other.isLate, deadline != .max, other.deadline != .max { return other.isLate }
        if deadline != other.deadline { return deadline < other.deadline }
        return app == other.app && id < other.id
    }

    /// Returns the time at which a running transfer of this rank passes its deadline, and the other rank thereby becomes
    /// high enough to take its slot. Returns `nil` if that never happens.
    package func demotion(inFavorOf other: Rank) -> WallTime? {
        guard isUserInitiated == other.isUserInitiated, priority == other.priority, !isLate, !other.isLate,
            deadline < other.deadline, other.deadline != .max
        else { return nil }
        return WallTime(nanosecondsSinceEpoch: deadline)
    }
}

extension Rank {
    /// Creates the rank of a transfer at the evaluator's present time.
    package init(_ id: TransferID, _ traits: borrowing TransferTraits, _ evaluator: borrowing PolicyEvaluator) {
        self.init(
            isUserInitiated: traits.kind == .userInitiated, priority: traits.priority,
            deadline: traits.constraints.deadline?.date.nanosecondsSinceEpoch ?? .max,
            isLate: evaluator.isLate(traits.constraints.deadline?.date), app: traits.app, id: id.rawValue)
    }
}

extension Rank {
    /// Creates the rank of a waiting transfer. Reads the record, because assembling the traits would cost more than the
    /// comparison.
    init(_ recordIndex: Int32, of waiting: borrowing WaitingTransfers, isLate: Bool) {
        let record = waiting.records[recordIndex]
        let heap = waiting.ready.heaps[record.pointee.heap]
        let level = Int(heap.pointee.key.level)
        self.init(
            isUserInitiated: waiting.ready.levels[level].isUserInitiated,
            priority: waiting.ready.levels[level].priority, deadline: record.pointee.terms.deadline, isLate: isLate,
            app: waiting.groups.groups[heap.pointee.key.group].pointee.key.app, id: record.pointee.id)
    }
}
