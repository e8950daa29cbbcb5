// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// A waiting queue that remains fast with a million transfers. `TransferQueue.docc` explains it with a diagram.
package struct IndexedQueue: WaitingQueue, ~Copyable {
    var waiting: WaitingTransfers
    var eligibility = Eligibility()
    /// The next time at which the policy may change its verdict on a transfer that it decides individually.
    var individualsReevaluateAt: Instant?
    /// Whether bytes that arrive now count against budgets, and whether a budget has kept a transfer from starting.
    var budget = (isCounted: false, isSpent: false)
    /// The transfer that ``next(_:delaysStaggered:)`` returned last.
    var chosen = Int32.noIndex
    var aging: PriorityAging
    /// A Boolean value that indicates whether a waiting transfer may take a slot from a running transfer.
    let isPreemptive: Bool

    package init(_ evaluator: PolicyEvaluator) {
        isPreemptive = evaluator.configuration.isPreemptive
        aging = PriorityAging(interval: evaluator.configuration.agingInterval)
        waiting = WaitingTransfers(evaluator.configuration, at: evaluator.now.wall)
    }

    // Explicit, so that the members are destroyed in this module. The compiler fails to destroy them in another
    // module.
    deinit {}

    package var count: Int { waiting.count }

    package mutating func contains(_ id: TransferID) -> Bool { waiting.contains(id) }

    // MARK: Insertion and removal

    package mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ evaluator: PolicyEvaluator) {
        let record = TransferRecord(id, TransferTerms(entry.traits))
        let recordIndex = waiting.add(record, extra: entry.isPlain && !isPreemptive ? nil : entry)
        waiting.file(recordIndex, entry, group: waiting.groups.join(entry.traits), evaluator)
    }

    package mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ evaluator: PolicyEvaluator) {
        // With preemption, running transfers need their complete entries. An entry is easier to keep than to assemble.
        guard traits.isPlain, !isPreemptive else {
            return insert(id, TransferEntry(traits: copy traits, phase: .waiting(nil)), evaluator)
        }
        let set = waiting.requirements.set(of: traits)
        let phase = waiting.phase(of: traits, set, evaluator)
        let recordIndex = waiting.add(TransferRecord(id, TransferTerms(traits)))
        let level = waiting.ready.levelNumber(of: traits)
        waiting.file(
            recordIndex, set, phase, level, group: waiting.groups.join(traits), .of(traits, at: evaluator.now),
            at: evaluator.now)
    }

    package mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like heap: Int32
    ) {
        waiting.groups.joinAgain(waiting.ready.heaps[heap].pointee.key.group)
        let terms = TransferTerms(submitted: submitted, notBefore: notBefore, expected: expected)
        let recordIndex = waiting.add(TransferRecord(id, terms))
        waiting.records[recordIndex].pointee.heap = heap
        waiting.ready.insert(recordIndex, waiting.records)
    }

    package func sharedHeap(of id: TransferID) -> Int32? {
        guard let recordIndex = waiting.recordIndex(of: id), waiting.records[recordIndex].pointee.position != .noIndex,
            waiting.records[recordIndex].pointee.extra == .noIndex, !waiting.individuals.contains(recordIndex)
        else { return nil }
        let set = waiting.requirements.sets[waiting.set(of: recordIndex)]
        // A policy that distinguishes transfers by more than the set must evaluate each transfer.
        if set.pointee.key.kind == .discretionary {
            guard case .table(let table) = set.pointee.rows, table.phaseCount == 1 else { return nil }
        }
        return waiting.records[recordIndex].pointee.heap
    }

    package mutating func remove(_ id: TransferID) -> TransferEntry? {
        guard let recordIndex = waiting.recordIndex(of: id) else { return nil }
        let (entry, group) = waiting.remove(recordIndex)
        waiting.leave(group: group)
        return entry
    }

    package var hasBlockedBySize: Bool { !waiting.blocked.ids.isEmpty }

    // MARK: Entries

    package func entry(of id: TransferID) -> TransferEntry? {
        waiting.recordIndex(of: id).map { waiting.entry(at: $0) }
    }

    package func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void) {
        for recordIndex in waiting.recordIndices() {
            body(TransferID(waiting.records[recordIndex].pointee.id), waiting.entry(at: recordIndex))
        }
    }

    // MARK: Slots

    package func isLast(of traits: borrowing TransferTraits) -> Bool {
        waiting.groups.isLast(of: traits)
    }

    package func fullSlots(for traits: borrowing TransferTraits) -> SlotScope? {
        waiting.groups.fullScope(for: traits)
    }

    package mutating func acquireSlots(of traits: borrowing TransferTraits) {
        waiting.groups.acquireSlots(waiting.groups.join(traits))
    }

    package mutating func freeSlots(of traits: borrowing TransferTraits) {
        if let group = waiting.groups.find(traits) { waiting.freeSlots(ofGroup: group) }
    }
}
