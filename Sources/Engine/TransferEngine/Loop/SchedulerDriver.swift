// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The decisions that are neither saved nor performed yet.
struct Turn {
    /// The changes that must be saved before any of the effects are performed.
    var changes: [StoreChange] = []
    /// The changes that nothing waits for.
    var progress: [StoreChange] = []
    /// A Boolean value that indicates whether the statistics are saved together with the changes.
    var savesLearned = false
    /// The effects to perform, in order, each with the time of its decision.
    var effects: [(effect: Effect, time: Moment)] = []
    /// The transfers whose start is among the effects.
    var starting: Set<TransferID> = []
    /// The transfers whose attempts have ended, to be reported afterwards.
    var ended: [TransferID] = []

    var isEmpty: Bool { changes.isEmpty && progress.isEmpty && !savesLearned && effects.isEmpty && ended.isEmpty }
}

/// Passes events to the scheduler, saves its decisions, and then performs them.
///
/// Several events may be decided before the first one is saved. One transaction then holds all of their changes, and
/// none of their effects are performed before the commit.
final class SchedulerDriver {
    let alarm: any Alarm
    let configuration: SchedulerConfiguration
    var policy: any Policy
    /// The scheduler, without statistics until ``readLearned(from:)``.
    var scheduler: Scheduler
    private var generator: SplitMix64
    let records: TransferRecords
    let writer: StoreWriter
    let updates: UpdateSink
    let attempts: Attempts
    let ends: AwaitedEnds
    var metrics: EngineMetrics
    let savesLearned: Bool
    /// The time at which the statistics were last passed to the store.
    var learnedSaved: Instant
    /// The decisions that wait to be saved and performed.
    private var turn = Turn()
    /// A Boolean value that indicates whether the engine shuts down. No transfer starts then.
    var isWinding = false

    /// Creates a driver over the parts of an engine.
    init(
        alarm: any Alarm, configuration: SchedulerConfiguration, policy: any Policy, seed: UInt64,
        records: TransferRecords, writer: StoreWriter, updates: UpdateSink, attempts: Attempts, ends: AwaitedEnds,
        metrics: EngineMetrics, savesLearned: Bool
    ) {
        self.alarm = alarm
        self.configuration = configuration
        self.policy = policy
        (self.records, self.writer, self.updates, self.attempts) = (records, writer, updates, attempts)
        (self.ends, self.metrics, self.savesLearned) = (ends, metrics, savesLearned)
        let now = alarm.now()
        learnedSaved = now.instant
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        generator = SplitMix64(seed: seed)
    }

    /// A Boolean value that indicates whether all decisions are saved and performed.
    var isSettled: Bool { turn.isEmpty }

    /// The number of decided changes that are not saved.
    var unsavedChanges: Int { turn.changes.count }

    /// Decides an event, and saves and performs its effects together with all earlier decisions.
    ///
    /// - Parameter savingLearned: Whether to save the statistics even if no effect asks for a save.
    nonisolated(nonsending) func handle(
        _ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        await decide(event, saving: changes, savingLearned: savingLearned)
        await settle()
    }

    /// Decides an event. ``settle()`` saves and performs the decision.
    ///
    /// - Returns: The effects of the event.
    @discardableResult
    nonisolated(nonsending) func decide(
        _ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async -> [Effect] {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        await note(effects, at: now, saving: changes, savingLearned: savingLearned)
        return effects
    }

    /// Replaces the policy and decides all waiting and running transfers again.
    nonisolated(nonsending) func decide(by policy: any Policy) async {
        self.policy = policy
        let now = alarm.now()
        await note(scheduler.setPolicy(policy, at: now, using: &generator), at: now)
        await settle()
    }

    /// Passes a batch of the stored queue to the scheduler.
    func take(_ batch: consuming RecoveredTransfers) { scheduler.take(batch, at: alarm.now()) }

    /// Adds a transfer's resume point to the current decisions. Nothing waits until the resume point is saved.
    func noteProgress(of id: TransferID, _ resume: ResumePoint) {
        turn.progress.append(.checkpointed(id, resume))
    }

    /// Schedules the report of an attempt's end for after its consequences are saved and performed.
    func noteEndOfAttempt(_ id: TransferID) { turn.ended.append(id) }

    /// Adds the effects of the scheduler to the current decisions.
    ///
    /// Only stops are performed at once. A stop needs no record, and a slow store must not keep bytes flowing.
    private nonisolated(nonsending) func note(
        _ effects: [Effect], at now: Moment, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        // An attempt that has not started cannot be stopped.
        if effects.contains(where: { $0.stopped.map(turn.starting.contains) ?? false }) { await settle() }
        for effect in effects where effect.stopped != nil { perform(effect, at: now) }
        turn.changes += changes
        turn.savesLearned = turn.savesLearned || savingLearned || effects.contains(.saveLearned)
        let ended = effects.compactMap(\.ended)
        await records.load(ended)
        // An ended transfer is saved as ended even if its row could not be read.
        for id in ended { _ = records.record(of: id) }
        for effect in effects where effect.stopped == nil {
            if let change = storeChange(for: effect) { turn.changes.append(change) }
            if case .start(let id) = effect {
                // From here on, reports of earlier attempts are late.
                records.record(of: id).attempt += 1
                turn.starting.insert(id)
            }
            turn.effects.append((effect, now))
        }
    }

    /// Saves the current decisions and then performs them.
    nonisolated(nonsending) func settle() async {
        guard !turn.isEmpty else { return }
        let turn = turn
        self.turn = Turn()
        let changes = turn.changes + (turn.savesLearned ? learnedNow() : [])
        if changes.isEmpty {
            writer.commitLater(turn.progress)
        } else {
            // Progress comes first, because it belongs to attempts that the other changes may end.
            await writer.commit(turn.progress + changes)
        }
        await records.load(turn.effects.compactMap(\.effect.carriedOut))
        for (effect, time) in turn.effects { perform(effect, at: time) }
        for id in turn.ended { tellEndOfAttempt(id, at: alarm.now()) }
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
        case .stop, .end, .saveRetry, .savePaused, .saveRelaunchHold, .saveLearned, .explain, .wake: nil
        }
    }
}
