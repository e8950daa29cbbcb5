// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy

/// The waiting queue that stays instant with a million transfers. `TransferQueue.docc` explains it with a drawing.
package struct IndexedQueue: WaitingQueue, ~Copyable {
    var records = Slab<TransferRecord>()
    var index = IDIndex()
    /// Whole entries of the transfers that are more than a record says.
    var extras = Slab<TransferEntry>()
    var requirements = Requirements()
    var eligibility = Eligibility()
    var groups: ConcurrencyGroups
    var ready = ReadyTransfers()
    var timers = TransferTimers()
    var blocked = BlockedBySize()
    /// The transfers that the policy is asked about one by one, and when its word on one of them may change.
    var individuals: (count: Int, reevaluateAt: Instant?) = (0, nil)
    /// Whether bytes that come now count against budgets, and whether a budget kept something from starting.
    var budget = (isCounted: false, isSpent: false)
    var lastWall: WallTime
    /// The transfer that ``next(_:holdsStaggered:)`` named.
    var chosen = Int32.nowhere
    package var isChosenByAging = false
    /// Scratch: the priority levels that might start something now.
    var startable: [Int32] = []
    private var highestID = Int64.min
    package private(set) var count = 0
    let agingInterval: Int
    /// Whether a waiting transfer may take a slot from one that runs.
    let isPreemptive: Bool

    package init(_ assessment: Assessment) {
        agingInterval = max(1, assessment.configuration.agingInterval)
        isPreemptive = assessment.configuration.isPreemptive
        groups = ConcurrencyGroups(assessment.configuration)
        lastWall = assessment.now.wall
    }

    // Stated, so that its parts are destroyed in this module: the compiler fails to do so in another one.
    deinit {}

    package mutating func contains(_ id: TransferID) -> Bool {
        // Ids come in order: a new one needs no look at where old ones lie, which would be somewhere far in memory.
        id.rawValue <= highestID && index.find(id.rawValue) != nil
    }

    // MARK: Coming and going

    package mutating func insert(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        let place = add(TransferRecord(id, TransferTerms(entry.traits)))
        if !entry.isPlain { records[place].pointee.extra = extras.take(entry) }
        file(place, entry, group: groups.join(entry.traits), assessment)
    }

    package mutating func insert(_ id: TransferID, _ traits: borrowing TransferTraits, _ assessment: Assessment) {
        guard traits.isPlain else {
            return insert(id, TransferEntry(traits: copy traits, phase: .waiting(nil)), assessment)
        }
        lastWall = max(lastWall, assessment.now.wall)
        let set = requirements.set(of: traits)
        let phase = phase(of: traits, set, assessment)
        let place = add(TransferRecord(id, TransferTerms(traits)))
        let level = ready.levelNumber(of: traits)
        file(
            place, set, phase, level, group: groups.join(traits), .of(traits, at: assessment.now), at: assessment.now)
    }

    package mutating func insert(
        _ id: TransferID, submitted: WallTime, notBefore: WallTime?, expected: Int64?, like heap: Int32
    ) {
        groups.joinAgain(ready.heaps[heap].pointee.key.group)
        let terms = TransferTerms(submitted: submitted, notBefore: notBefore, expected: expected)
        let place = add(TransferRecord(id, terms))
        records[place].pointee.heap = heap
        ready.insert(place, records)
    }

    package func sharedPlace(of id: TransferID) -> Int32? {
        guard let place = index.find(id.rawValue), records[place].pointee.position != .nowhere,
            records[place].pointee.extra == .nowhere, !records[place].pointee.isIndividual
        else { return nil }
        let set = requirements.sets[set(of: place)]
        // If a policy tells transfers apart by more, it has to be asked about each.
        guard set.pointee.key.kind != .discretionary || set.pointee.phaseCount == 1 else { return nil }
        return records[place].pointee.heap
    }

    private mutating func add(_ record: TransferRecord) -> Int32 {
        let place = records.take(record)
        index.insert(record.id, place)
        highestID = max(highestID, record.id)
        count += 1
        return place
    }

    package mutating func remove(_ id: TransferID) -> TransferEntry? {
        guard let place = index.find(id.rawValue) else { return nil }
        let entry = entry(at: place)
        leave(group: discard(place))
        return entry
    }

    /// Removes a transfer from everything but its concurrency group, which is returned.
    mutating func discard(_ place: Int32) -> Int32 {
        let group = group(of: place)
        withdraw(place)
        index.remove(records[place].pointee.id)
        if records[place].pointee.extra != .nowhere { extras.release(records[place].pointee.extra) }
        records.release(place)
        count -= 1
        return group
    }

    mutating func leave(group: Int32) {
        if let heaps = groups.leave(group) { ready.remove(heaps: heaps) }
    }

    package var hasBlockedBySize: Bool { !blocked.ids.isEmpty }

    // MARK: Entries

    package func entry(of id: TransferID) -> TransferEntry? { index.find(id.rawValue).map { entry(at: $0) } }

    package func forEach(_ body: (TransferID, borrowing TransferEntry) -> Void) {
        for place in places() { body(TransferID(records[place].pointee.id), entry(at: place)) }
    }

    /// The places of all transfers, in the order of their ids.
    func places() -> [Int32] {
        var places: [Int32] = []
        index.forEach { places.append($1) }
        return places.sorted { records[$0].pointee.id < records[$1].pointee.id }
    }

    /// The whole entry of a transfer.
    func entry(at place: Int32) -> TransferEntry {
        let extra = records[place].pointee.extra
        return extra == .nowhere ? entry(of: plainRecord(at: place)) : extras[extra].pointee
    }

    @inline(__always)
    func group(of place: Int32) -> Int32 { ready.heaps[records[place].pointee.heap].pointee.key.group }

    @inline(__always)
    func set(of place: Int32) -> Int32 {
        requirements.classes[Int(ready.heaps[records[place].pointee.heap].pointee.key.requirementClass)].set
    }

    // MARK: Slots

    package func isLast(of traits: borrowing TransferTraits) -> Bool { groups.isLast(of: traits) }

    package func fullSlots(for traits: borrowing TransferTraits) -> SlotScope? { groups.fullScope(for: traits) }

    package mutating func takeSlots(of traits: borrowing TransferTraits) { groups.takeSlots(groups.join(traits)) }

    package mutating func freeSlots(of traits: borrowing TransferTraits) {
        if let group = groups.find(traits) { freeSlots(ofGroup: group) }
    }

    mutating func freeSlots(ofGroup group: Int32) {
        groups.freeSlots(group)
        leave(group: group)
    }
}
