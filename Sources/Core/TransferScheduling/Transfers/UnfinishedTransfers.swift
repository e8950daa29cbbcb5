// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// All transfers that have not ended, and what is kept of them: those that wait, and those with an attempt.
struct UnfinishedTransfers<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    let configuration: SchedulerConfiguration
    /// Transfers without an attempt.
    var queue: Queue
    /// Transfers with an attempt, those told to stop included, in the order of their starts.
    var active = ActiveTransfers()
    /// What has changed since it was last decided what may run.
    var changes = SchedulerChanges()
    var totals = QueueTotals()
    var relaunchDelays: RelaunchDelays
    /// Transfers that wait for the end of a backoff.
    var backingOff: Set<TransferID> = []
    /// When room is measured again, by the transfer that waits for it.
    var measurements: [TransferID: Instant] = [:]
    var expiries = Expiries()
    var watches = Watches()

    init(_ configuration: SchedulerConfiguration, queue: consuming Queue, _ relaunchDelays: RelaunchDelays) {
        self.configuration = configuration
        self.queue = queue
        self.relaunchDelays = relaunchDelays
    }

    var count: Int { queue.count + active.count }

    // MARK: Attempts

    /// Where a transfer with an attempt is, made whole; nil where it has none.
    mutating func activeIndex(of id: TransferID) -> Int32? {
        guard let index = active.number(of: id) else { return nil }
        makeWhole(index)
        return index
    }

    func holdsSlot(_ id: TransferID) -> Bool { active.number(of: id) != nil }

    // Marked `mutating` to avoid a copy; does not change the value.
    mutating func contains(_ id: TransferID) -> Bool { holdsSlot(id) || queue.contains(id) }

    func entry(of id: TransferID) -> TransferEntry? {
        guard let index = active.number(of: id) else { return queue.entry(of: id) }
        return whole(index)?.entry ?? active[index].entry
    }

    /// The whole of a transfer that is plain; nil where it is whole already.
    private func whole(_ index: Int32) -> ActiveTransfer? {
        active.plain(index).map { plain, since in
            ActiveTransfer(id: active.id(index), entry: queue.entry(of: plain), since: since, configuration)
        }
    }

    /// Whether any that runs has its server elsewhere.
    var usesNetwork: Bool {
        var isUsed = false
        active.forEach { if !$1.entry.traits.isLoopback { isUsed = true } }
        return isUsed
    }

    private mutating func makeWhole(_ index: Int32) {
        if let whole = whole(index) { active.replace(index, by: whole) }
    }

    /// Makes all whole that have an attempt.
    mutating func makeWhole() {
        var index = active.first
        while index != Int32.nowhere {
            makeWhole(index)
            index = active.next(after: index)
        }
    }

    /// Ends an attempt; its transfer is in no list until it is put into one.
    mutating func endAttempt(at index: Int32, now: Moment, isOver: Bool = false) -> TransferEntry {
        var entry = active[index].entry
        active.remove(index)
        queue.freeSlots(of: entry.traits)
        // Of what is over nobody asks how long it ran.
        if !isOver, case .running(let attempt) = entry.phase {
            entry.addRun(from: attempt.since, to: now)
        }
        return entry
    }

    /// A plain transfer has come to its end: nothing remembers it.
    mutating func end(
        _ id: TransferID, _ plain: PlainRecord, _ ending: Ending, into effects: inout [Effect]
    ) {
        totals.remove(plain.kind, bytes: plain.bytesRemaining, deadline: plain.deadline)
        expiries.remove(id)
        watches.remove(id)
        effects.append(.end(id, ending))
    }

    /// Notes how many bytes an attempt leaves.
    mutating func setBytes(_ bytes: Int64, at index: Int32) {
        let before = active[index].entry
        active[index].entry.bytes = bytes
        totals.update(from: before, to: active[index].entry)
    }

    // MARK: Coming and going

    /// Takes a transfer in that is not here yet.
    mutating func takeIn(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        if let expires = entry.traits.expires { expiries.add(id, at: expires) }
        totals.add(entry)
        enqueue(id, entry, assessment)
    }

    /// Puts a transfer into the queue, new or back from an attempt.
    mutating func enqueue(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        if case .waiting(let obstacle?) = entry.phase {
            switch obstacle {
            case .backoff: backingOff.insert(id)
            case .storage(_, _, _, let look): measurements[id] = look
            }
        }
        queue.insert(id, entry, assessment)
    }

    /// Takes a transfer out of the queue, to change it and put it back; nil where it is not there.
    mutating func dequeue(_ id: TransferID) -> TransferEntry? {
        guard let entry = queue.remove(id) else { return nil }
        if case .waiting(let obstacle?) = entry.phase {
            switch obstacle {
            case .backoff: backingOff.remove(id)
            case .storage: measurements[id] = nil
            }
        }
        return entry
    }

    /// A transfer has come to its end: nothing remembers it, and its app's limiter is told.
    mutating func end(
        _ id: TransferID, _ entry: borrowing TransferEntry, _ ending: Ending, at now: Moment,
        into effects: inout [Effect]
    ) {
        totals.remove(entry)
        expiries.remove(id)
        watches.remove(id)
        if let delay = entry.relaunchDelay {
            relaunchDelays.end(
                delay, of: id, entry.traits.app, causesRelaunch: queue.isLast(of: entry.traits), at: now)
            effects.append(.saveLearned)
        }
        effects.append(.end(id, ending))
    }
}
