// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// All transfers that have not ended, and what is kept of them: those that wait, and those with an attempt.
struct UnfinishedTransfers<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    /// Transfers without an attempt.
    var queue: Queue
    /// Transfers with an attempt, those told to stop included, in the order of their starts.
    var active: ActiveTransfers
    /// What has changed since it was last decided what may run.
    var changes = SchedulerChanges()
    var totals = QueueTotals()
    var relaunchDelays: RelaunchDelays
    /// The transfers of the queue that wait because of what their last attempt ran into.
    var obstacles: Obstacles
    var expiries = Expiries()
    var watches = Watches()

    init(_ configuration: SchedulerConfiguration, queue: consuming Queue, _ relaunchDelays: RelaunchDelays) {
        self.queue = queue
        self.relaunchDelays = relaunchDelays
        active = ActiveTransfers(leastProgress: configuration.leastProgress)
        obstacles = Obstacles(spaceInterval: configuration.spaceInterval)
    }

    var count: Int { queue.count + active.count }

    // Marked `mutating` to avoid a copy; does not change the value.
    mutating func contains(_ id: TransferID) -> Bool { active.number(of: id) != nil || queue.contains(id) }

    func entry(of id: TransferID) -> TransferEntry? {
        active.number(of: id).map { active.whole($0, from: queue).entry } ?? queue.entry(of: id)
    }

    /// The number of a transfer with an attempt, which is made whole; nil if it has none.
    mutating func activeIndex(of id: TransferID) -> Int32? {
        guard let index = active.number(of: id) else { return nil }
        active.makeWhole(index, from: &queue)
        return index
    }

    /// All unfinished transfers taken together, as policies see them.
    mutating func summary(at now: Moment) -> QueueSummary {
        if !totals.isFirstDeadlineKnown {
            queue.forEach { totals.note($1) }
            active.forEach { totals.note($1.entry) }
            totals.isFirstDeadlineKnown = true
        }
        let runningCount = active.networkCount
        return QueueSummary(
            discretionaryCount: totals.discretionaryCount,
            discretionaryBytes: Int64(clamping: totals.discretionaryBytes), firstDeadline: totals.firstDeadline,
            runningCount: runningCount, lastActivity: runningCount > 0 ? now.instant : active.lastActivity)
    }

    // MARK: Coming and going

    /// Counts a transfer that is not here yet, with so many bytes to come; nil if nobody knows.
    mutating func register(_ id: TransferID, _ traits: borrowing TransferTraits, bytes: Int64?) {
        if let expires = traits.expires { expiries.add(id, at: expires) }
        totals.add(traits.kind, bytes: bytes, deadline: traits.constraints.deadline?.date)
    }

    /// Puts a transfer into the queue, new or back from an attempt.
    mutating func enqueue(_ id: TransferID, _ entry: TransferEntry, _ assessment: Assessment) {
        obstacles.add(id, entry.phase)
        queue.insert(id, entry, assessment)
    }

    /// Takes a transfer out of the queue, to change it and put it back; nil if it is not there.
    mutating func dequeue(_ id: TransferID) -> TransferEntry? {
        guard let entry = queue.remove(id) else { return nil }
        obstacles.remove(id, entry.phase)
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

    /// A plain transfer has come to its end: nothing remembers it.
    mutating func end(_ id: TransferID, _ plain: PlainRecord, _ ending: Ending, into effects: inout [Effect]) {
        totals.remove(plain.kind, bytes: plain.bytesRemaining, deadline: plain.deadline)
        expiries.remove(id)
        watches.remove(id)
        effects.append(.end(id, ending))
    }
}
