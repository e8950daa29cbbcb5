// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

/// The collection of all unfinished transfers, waiting or active, and of the data that belongs to them.
struct UnfinishedTransfers<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    /// The transfers without an attempt.
    var queue: Queue
    /// The transfers with an attempt, in order of their starts. Includes attempts that are being stopped.
    var active: ActiveTransfers
    /// The changes since the last decision about which transfers may run.
    var changes = SchedulerChanges()
    /// The changes since the last update of the queue, which is left out while nothing waits.
    var missedChanges = SchedulerChanges()
    var backlog = DeadlineBacklog()
    var relaunchDelays: RelaunchDelays
    /// The queued transfers whose last attempt met an obstacle.
    var obstacles: Obstacles
    var expiries = Expiries()
    var notices: DeadlineNotices
    var watches = Watches()

    init(
        _ configuration: SchedulerConfiguration, queue: consuming Queue, _ relaunchDelays: RelaunchDelays,
        reported: [TransferID: DeadlineState]
    ) {
        self.queue = queue
        notices = DeadlineNotices(isEnabled: configuration.keepsDeadlines, reported: reported)
        self.relaunchDelays = relaunchDelays
        active = ActiveTransfers(leastProgress: configuration.leastProgress)
        obstacles = Obstacles(spaceInterval: configuration.spaceInterval)
    }

    /// A Boolean value that indicates whether deadlines are kept and any transfer has one.
    var haveDeadlines: Bool { notices.isEnabled && (notices.next != nil || backlog.count > 0) }

    // Marked `mutating` to avoid a copy; does not change the value.
    mutating func contains(_ id: TransferID) -> Bool { active.number(of: id) != nil || queue.contains(id) }

    func entry(of id: TransferID) -> TransferEntry? {
        active.number(of: id).map { active[$0].entry } ?? queue.entry(of: id)
    }

    // MARK: Coming and going

    /// Counts a new transfer.
    ///
    /// - Parameter missing: The number of remaining bytes to receive or to send; `nil` if the number is unknown.
    mutating func register(_ id: TransferID, _ traits: borrowing TransferTraits, missing: Int64?) {
        if let expires = traits.expires { expiries.add(id, at: expires) }
        if traits.constraints.deadline != nil { notices.add(id) }
        backlog.add(missing, traits.kind, deadline: traits.constraints.deadline?.date)
    }

    /// Inserts a transfer into the queue, either a new transfer or one that returns from an attempt.
    mutating func enqueue(_ id: TransferID, _ entry: TransferEntry, _ evaluator: PolicyEvaluator) {
        obstacles.add(id, entry.phase)
        if entry.traits.constraints.deadline != nil {
            notices.add(id)
            backlog.settle()
        }
        queue.insert(id, entry, evaluator)
    }

    /// Removes a transfer from the queue, so that the caller can change it and insert it again; `nil` if it is not
    /// queued.
    mutating func dequeue(_ id: TransferID) -> TransferEntry? {
        guard let entry = queue.remove(id) else { return nil }
        obstacles.remove(id, entry.phase)
        return entry
    }

    /// Ends a transfer: removes all its data and reports the end to its app's relaunch limiter.
    mutating func end(
        _ id: TransferID, _ entry: borrowing TransferEntry, _ ending: Ending, at now: ClockReading,
        into effects: inout [Effect]
    ) {
        backlog.remove(entry)
        expiries.remove(id)
        notices.remove(id)
        watches.remove(id)
        if let delay = entry.relaunchDelay {
            relaunchDelays.end(
                delay, of: id, entry.traits.app, causesRelaunch: queue.isLast(of: entry.traits), at: now)
            effects.append(.saveStatistics)
        }
        effects.append(.end(id, ending))
    }
}
