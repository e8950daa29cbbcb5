// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The decisions that are not yet saved and performed.
struct PendingDecisions {
    /// The changes that must be saved before any of the effects are performed.
    var changes: [StoreChange] = []
    /// The changes that nothing waits for.
    var progress: [StoreChange] = []
    /// A Boolean value that indicates whether the statistics are saved together with the changes.
    var savesStatistics = false
    /// The effects to perform, in order, each with the time of its decision.
    var effects: [(effect: Effect, time: ClockReading)] = []
    /// The transfers whose start is among the effects.
    var starting: Set<TransferID> = []
    /// The transfers whose attempts have ended, to be reported afterwards.
    var ended: [TransferID] = []

    var isEmpty: Bool { changes.isEmpty && progress.isEmpty && !savesStatistics && effects.isEmpty && ended.isEmpty }
}

/// Passes events to the scheduler, saves its decisions, and then performs them.
///
/// Several events may be decided before the first one is saved. One transaction then holds all of their changes, and
/// none of their effects are performed before the commit.
final class SchedulerDriver {
    let alarm: any Alarm
    let configuration: SchedulerConfiguration
    var policy: any Policy
    /// The scheduler. Has no statistics until the statistics of earlier runs are restored.
    var scheduler: Scheduler
    private var generator: SplitMix64
    let records: TransferRecords
    let writer: StoreWriter
    let updates: UpdateSink
    let attempts: Attempts
    let replies: PendingReplies
    var metrics: EngineMetrics
    let savesStatistics: Bool
    /// The time at which the statistics were last passed to the store.
    var statisticsSaved: Instant
    /// The decisions that wait to be saved and performed.
    private var pending = PendingDecisions()
    /// A Boolean value that indicates whether the engine shuts down. No transfer starts then.
    var isShuttingDown = false

    /// Creates a driver over the components of an engine.
    init(
        alarm: any Alarm, configuration: SchedulerConfiguration, policy: any Policy, seed: UInt64,
        records: TransferRecords, writer: StoreWriter, updates: UpdateSink, attempts: Attempts, replies: PendingReplies,
        metrics: EngineMetrics, savesStatistics: Bool
    ) {
        self.alarm = alarm
        self.configuration = configuration
        self.policy = policy
        (self.records, self.writer, self.updates, self.attempts) = (records, writer, updates, attempts)
        (self.replies, self.metrics, self.savesStatistics) = (replies, metrics, savesStatistics)
        let now = alarm.now()
        statisticsSaved = now.instant
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        generator = SplitMix64(seed: seed)
    }

    /// A Boolean value that indicates whether all decisions are saved and performed.
    var hasNothingPending: Bool { pending.isEmpty }

    /// The number of decided changes that are not saved.
    var unsavedChanges: Int { pending.changes.count }

    /// Decides an event, and saves and performs its effects together with all earlier decisions.
    ///
    /// - Parameter savingStatistics: Whether to save the statistics even if no effect requests a save.
    nonisolated(nonsending) func handle(
        _ event: Event, saving changes: [StoreChange] = [], savingStatistics: Bool = false
    ) async {
        await decide(event, saving: changes, savingStatistics: savingStatistics)
        await saveAndPerform()
    }

    /// Decides an event without saving or performing the decision.
    ///
    /// - Returns: The effects of the event.
    @discardableResult
    nonisolated(nonsending) func decide(
        _ event: Event, saving changes: [StoreChange] = [], savingStatistics: Bool = false
    ) async -> [Effect] {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        await collect(effects, at: now, saving: changes, savingStatistics: savingStatistics)
        return effects
    }

    /// Replaces the policy and decides all waiting and running transfers again.
    nonisolated(nonsending) func decide(by policy: any Policy) async {
        self.policy = policy
        let now = alarm.now()
        await collect(scheduler.setPolicy(policy, at: now, using: &generator), at: now)
        await saveAndPerform()
    }

    /// Passes a batch of the stored queue to the scheduler.
    func receive(_ batch: consuming RecoveredTransfers) { scheduler.recover(batch, at: alarm.now()) }

    /// Adds a transfer's resume point to the current decisions. Nothing waits until the resume point is saved.
    func recordProgress(of id: TransferID, _ resume: ResumePoint) {
        pending.progress.append(.checkpointed(id, resume))
    }

    /// Schedules the report of an attempt's end for after its consequences are saved and performed.
    func recordEndOfAttempt(_ id: TransferID) { pending.ended.append(id) }

    /// Adds the effects of the scheduler to the current decisions.
    ///
    /// Only stops are performed immediately. A stop needs no saved change, and a slow store must not delay the stop.
    private nonisolated(nonsending) func collect(
        _ effects: [Effect], at now: ClockReading, saving changes: [StoreChange] = [], savingStatistics: Bool = false
    ) async {
        // An attempt that has not started cannot be stopped.
        if effects.contains(where: { $0.stopped.map(pending.starting.contains) ?? false }) { await saveAndPerform() }
        for effect in effects where effect.stopped != nil { perform(effect, at: now) }
        pending.changes += changes
        pending.savesStatistics = pending.savesStatistics || savingStatistics || effects.contains(.saveStatistics)
        let ended = effects.compactMap(\.ended)
        await records.load(ended)
        // An ended transfer is saved as ended even if its row could not be read.
        for id in ended { _ = records.record(of: id) }
        for effect in effects where effect.stopped == nil {
            if let change = storeChange(for: effect) { pending.changes.append(change) }
            if case .start(let id) = effect {
                // From here on, reports of earlier attempts are late.
                records.record(of: id).attempt += 1
                pending.starting.insert(id)
            }
            pending.effects.append((effect, now))
        }
    }

    /// Saves the current decisions and then performs them.
    nonisolated(nonsending) func saveAndPerform() async {
        guard !pending.isEmpty else { return }
        let pending = pending
        self.pending = PendingDecisions()
        let changes = pending.changes + (pending.savesStatistics ? currentStatistics() : [])
        if changes.isEmpty {
            writer.commitLater(pending.progress)
        } else {
            // Progress comes first, because it belongs to attempts that the other changes may end.
            await writer.commit(pending.progress + changes)
        }
        await records.load(pending.effects.compactMap(\.effect.carriedOut))
        for (effect, time) in pending.effects { perform(effect, at: time) }
        for id in pending.ended { reportEndOfAttempt(id, at: alarm.now()) }
    }
}

extension Effect {
    /// The transfer whose attempt the effect stops.
    fileprivate var stopped: TransferID? { if case .stop(let id) = self { id } else { nil } }

    /// The transfer that the effect ends.
    fileprivate var ended: TransferID? { if case .end(let id, _) = self { id } else { nil } }

    /// The transfer whose specification the effect needs.
    fileprivate var carriedOut: TransferID? {
        switch self {
        case .start(let id), .discard(let id), .measureSpace(let id): id
        case .stop, .end, .saveRetry, .savePaused, .saveRelaunchDelay, .saveStatistics, .explain, .reportDeadline,
            .wake:
            nil
        }
    }
}
