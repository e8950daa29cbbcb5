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
    /// The transfer that ``next(_:holdsStaggered:)`` returned last.
    var chosen = Int32.nowhere
    var aging: PriorityAging
    /// Whether a waiting transfer may take a slot from a running transfer.
    let isPreemptive: Bool

    package init(_ assessment: Assessment) {
        isPreemptive = assessment.configuration.isPreemptive
        aging = PriorityAging(interval: assessment.configuration.agingInterval)
        waiting = WaitingTransfers(assessment.configuration, at: assessment.now.wall)
    }

    // Explicit, so that the members are destroyed in this module. The compiler fails to destroy them in another
    // module.
    deinit {}

    package var count: Int { waiting.count }

    package mutating func contains(_ id: TransferID) -> Bool { waiting.contains(id) }

    // MARK: Insertion and removal

    package mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        let record = TransferRecord(id, TransferTerms(entry.traits))
        let place = waiting.add(record, extra: entry.isPlain ? nil : entry)
        waiting.file(place, entry, group: waiting.groups.join(entry.traits), assessment)
    }

    package mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ assessment: Assessment) {
        guard traits.isPlain else {
            return insert(id, TransferEntry(traits: copy traits, phase: .waiting(nil)), assessment)
        }
        let set = waiting.requirements.set(of: traits)
        let phase = waiting.phase(of: traits, set, assessment)
        let place = waiting.add(TransferRecord(id, TransferTerms(traits)))
        let level = waiting.ready.levelNumber(of: traits)
        waiting.file(
            place, set, phase, level, group: waiting.groups.join(traits), .of(traits, at: assessment.now),
            at: assessment.now)
    }

    package mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like heap: Int32
    ) {
        waiting.groups.joinAgain(waiting.ready.heaps[heap].pointee.key.group)
        let terms = TransferTerms(submitted: submitted, notBefore: notBefore, expected: expected)
        let place = waiting.add(TransferRecord(id, terms))
        waiting.records[place].pointee.heap = heap
        waiting.ready.insert(place, waiting.records)
    }

    package func sharedPlace(of id: TransferID) -> Int32? {
        guard let place = waiting.place(of: id), waiting.records[place].pointee.position != .nowhere,
            waiting.records[place].pointee.extra == .nowhere, !waiting.records[place].pointee.isIndividual
        else { return nil }
        let set = waiting.requirements.sets[waiting.set(of: place)]
        // A policy that distinguishes transfers by more than the set must be asked about each transfer.
        guard set.pointee.key.kind != .discretionary || set.pointee.phaseCount == 1 else { return nil }
        return waiting.records[place].pointee.heap
    }

    package mutating func remove(_ id: TransferID) -> TransferEntry? {
        guard let place = waiting.place(of: id) else { return nil }
        let entry = waiting.entry(at: place)
        waiting.leave(group: waiting.discard(place))
        return entry
    }

    package mutating func removePlain(_ id: TransferID) -> PlainRecord? {
        guard let place = waiting.place(of: id), waiting.records[place].pointee.extra == .nowhere else {
            return nil
        }
        let plain = waiting.plainRecord(at: place)
        waiting.leave(group: waiting.discard(place))
        return plain
    }

    package var hasBlockedBySize: Bool { !waiting.blocked.ids.isEmpty }

    // MARK: Entries

    package func entry(of id: TransferID) -> TransferEntry? {
        waiting.place(of: id).map { waiting.entry(at: $0) }
    }

    package func entry(of plain: PlainRecord) -> TransferEntry { waiting.entry(of: plain) }

    package func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void) {
        for place in waiting.places() {
            body(TransferID(waiting.records[place].pointee.id), waiting.entry(at: place))
        }
    }

    // MARK: Slots

    package func isLast(of traits: borrowing TransferTraits) -> Bool {
        waiting.groups.isLast(of: traits)
    }

    package func fullSlots(for traits: borrowing TransferTraits) -> SlotScope? {
        waiting.groups.fullScope(for: traits)
    }

    package mutating func takeSlots(of traits: borrowing TransferTraits) {
        waiting.groups.takeSlots(waiting.groups.join(traits))
    }

    package mutating func freeSlots(of traits: borrowing TransferTraits) {
        if let group = waiting.groups.find(traits) { waiting.freeSlots(ofGroup: group) }
    }

    package mutating func freeSlots(of plain: PlainRecord) { waiting.freeSlots(ofGroup: plain.group) }
}
