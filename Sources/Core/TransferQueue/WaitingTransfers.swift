// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

/// The transfers of the queue, each filed in a ready heap or a timer heap.
struct WaitingTransfers: ~Copyable, Sendable {
    private(set) var records = Slab<TransferRecord>()
    private var index = IDIndex()
    /// The complete entries of the transfers that a record does not describe completely.
    private(set) var extras = Slab<TransferEntry>()
    var requirements = Requirements()
    var groups: ConcurrencyGroups
    var ready = ReadyTransfers()
    var timers = TransferTimers()
    var blocked = BlockedBySize()
    /// The record indexes of the transfers that the policy decides individually.
    var individuals = BitSet()
    /// The wall-clock time of the last update or filing. An earlier reading means that the clock was set back.
    var lastWall: WallTime
    /// The policy's table key when transfers were last filed according to it.
    var tableKey: Int64 = 0
    private var highestID = Int64.min
    /// A Boolean value that indicates whether transfers past their deadlines go behind the others.
    let startsLateTransfersLast: Bool
    private(set) var count = 0
    /// The record indexes of the transfers with a deadline, which a new plan files again.
    private(set) var dated = BitSet()

    init(_ configuration: any QueueConfiguration, at now: WallTime) {
        groups = ConcurrencyGroups(configuration)
        lastWall = now
        startsLateTransfersLast = configuration.startsLateTransfersLast
    }

    // MARK: Insertion and removal

    // Inlined here and elsewhere: otherwise a method that only reads receives a copy of the whole value.
    @inline(__always)
    func contains(_ id: TransferID) -> Bool {
        // IDs arrive in ascending order. A new ID requires no search among the old ones, which would touch distant
        // memory.
        id.rawValue <= highestID && index.find(id.rawValue) != nil
    }

    @inline(__always)
    func recordIndex(of id: TransferID) -> Int32? { index.find(id.rawValue) }

    /// Adds a transfer that is not filed yet.
    ///
    /// - Parameter extra: The complete entry, if it contains more than the record.
    mutating func add(_ record: TransferRecord, extra: TransferEntry? = nil) -> Int32 {
        let recordIndex = records.insert(record)
        index.insert(record.id, recordIndex)
        highestID = max(highestID, record.id)
        if record.terms.deadline != .max { dated.set(recordIndex) }
        count += 1
        if let extra { records[recordIndex].pointee.extra = extras.insert(extra) }
        return recordIndex
    }

    /// Removes a transfer from everything except its concurrency group, and returns the group.
    mutating func discard(_ recordIndex: Int32) -> Int32 {
        let group = group(of: recordIndex)
        withdraw(recordIndex)
        dated.set(recordIndex, false)
        index.remove(records[recordIndex].pointee.id)
        if records[recordIndex].pointee.extra != .noIndex { extras.release(records[recordIndex].pointee.extra) }
        records.release(recordIndex)
        count -= 1
        return group
    }

    /// Removes a transfer like ``discard(_:)``, and returns its complete entry and its concurrency group.
    mutating func remove(_ recordIndex: Int32) -> (entry: TransferEntry, group: Int32) {
        let extra = records[recordIndex].pointee.extra
        guard extra != .noIndex else {
            let entry = plainEntry(at: recordIndex)
            return (entry, discard(recordIndex))
        }
        // Moved, because a copy would cost more than the rest.
        let entry = extras.remove(extra)
        records[recordIndex].pointee.extra = .noIndex
        return (entry, discard(recordIndex))
    }

    mutating func leave(group: Int32) {
        if let heaps = groups.leave(group) { ready.remove(heaps: heaps) }
    }

    mutating func freeSlots(ofGroup group: Int32) {
        groups.freeSlots(group)
        leave(group: group)
    }

    // MARK: Entries

    /// Returns the record indexes of all transfers, in the order of their IDs.
    func recordIndices() -> [Int32] {
        var recordIndices: [Int32] = []
        index.forEach { recordIndices.append($1) }
        return recordIndices.sorted { records[$0].pointee.id < records[$1].pointee.id }
    }

    /// Returns the complete entry of a transfer.
    func entry(at recordIndex: Int32) -> TransferEntry {
        let extra = records[recordIndex].pointee.extra
        return extra == .noIndex ? plainEntry(at: recordIndex) : extras[extra].pointee
    }

    /// Returns the complete entry of a transfer that its record and its ready heap describe completely.
    private func plainEntry(at recordIndex: Int32) -> TransferEntry {
        let (terms, key) = (
            records[recordIndex].pointee.terms, ready.heaps[records[recordIndex].pointee.heap].pointee.key
        )
        let group = groups.groups[key.group]
        // Filled in place, because a copy of the traits costs as much as the rest.
        var entry = TransferEntry(
            traits: requirements.sets[set(of: recordIndex)].pointee.traits(
                host: group.pointee.key.host, app: group.pointee.key.app,
                submitted: WallTime(nanosecondsSinceEpoch: terms.submitted)),
            phase: .waiting(nil))
        entry.traits.session = group.pointee.key.session
        entry.traits.slotsPerHost = group.pointee.key.slotsPerHost
        entry.traits.priority = ready.levels[Int(key.level)].priority
        if terms.expected >= 0 { entry.traits.expectedBytesToReceive = terms.expected }
        if terms.expires != .max { entry.traits.expires = WallTime(nanosecondsSinceEpoch: terms.expires) }
        if terms.deadline != .max {
            entry.traits.constraints.deadline = DeadlineConstraint(WallTime(nanosecondsSinceEpoch: terms.deadline))
        }
        if terms.notBefore != .min {
            entry.traits.constraints.notBefore = NotBeforeConstraint(WallTime(nanosecondsSinceEpoch: terms.notBefore))
        }
        return entry
    }

    @inline(__always)
    func group(of recordIndex: Int32) -> Int32 {
        ready.heaps[records[recordIndex].pointee.heap].pointee.key.group
    }

    @inline(__always)
    func set(of recordIndex: Int32) -> Int32 {
        requirements.classes[Int(ready.heaps[records[recordIndex].pointee.heap].pointee.key.requirementClass)]
            .set
    }
}
