// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// What has been decided and is neither saved nor done yet.
struct Turn {
    /// What has to be saved before anything of this is done.
    var changes: [StoreChange] = []
    /// What is to be saved that nothing waits for.
    var progress: [StoreChange] = []
    /// Whether what was learned is to be saved with it.
    var savesLearned = false
    /// What is to be done, in order, each as of when it was decided.
    var effects: [(effect: Effect, time: Moment)] = []
    /// Whose start is among the effects.
    var starting: Set<TransferID> = []
    /// Whose attempts have ended, to be told afterwards.
    var ended: [TransferID] = []

    var isEmpty: Bool { changes.isEmpty && progress.isEmpty && !savesLearned && effects.isEmpty && ended.isEmpty }
}

/// Has the scheduler decide about events, saves what it decides, and then does it.
///
/// Several events may be decided before the first is saved: then one transaction holds them all, and nothing of any is done
/// before that.
final class SchedulerDriver {
    let alarm: any Alarm
    let configuration: SchedulerConfiguration
    var policy: any Policy
    /// Without anything learned until ``readLearned(from:)``.
    var scheduler: Scheduler
    private var generator: SplitMix64
    let records: TransferRecords
    let writer: StoreWriter
    let updates: UpdateSink
    let attempts: Attempts
    let ends: AwaitedEnds
    var metrics: EngineMetrics
    let savesLearned: Bool
    /// When what was learned was last handed to the store.
    var learnedSaved: Instant
    /// What has been decided and waits to be saved and done.
    private var turn = Turn()
    /// Whether the engine ends: nothing is started.
    var isWinding = false

    /// A driver over the parts of one engine.
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

    /// Whether everything that was decided is saved and done.
    var isSettled: Bool { turn.isEmpty }

    /// The number of changes that are decided and not saved.
    var unsavedChanges: Int { turn.changes.count }

    /// One event: decided, saved, done, with whatever was decided before it.
    ///
    /// - Parameter savingLearned: whether what was learned is to be saved whatever the effects say.
    nonisolated(nonsending) func handle(
        _ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        await decide(event, saving: changes, savingLearned: savingLearned)
        await settle()
    }

    /// Decides about an event; saving and doing is left to ``settle()``.
    ///
    /// - Returns: what the scheduler wants done.
    @discardableResult
    nonisolated(nonsending) func decide(
        _ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async -> [Effect] {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        await note(effects, at: now, saving: changes, savingLearned: savingLearned)
        return effects
    }

    /// Everything that waits and runs is decided by another policy from now on.
    nonisolated(nonsending) func decide(by policy: any Policy) async {
        self.policy = policy
        let now = alarm.now()
        await note(scheduler.setPolicy(policy, at: now, using: &generator), at: now)
        await settle()
    }

    /// Hands a part of the stored queue to the scheduler.
    func take(_ batch: consuming RecoveredTransfers) { scheduler.take(batch, at: alarm.now()) }

    /// Takes a transfer's place to continue from into the turn; nothing waits until it is saved.
    func noteProgress(of id: TransferID, _ resume: ResumePoint) {
        turn.progress.append(.checkpointed(id, resume))
    }

    /// Has an attempt's end told when what follows from it is saved and done.
    func noteEndOfAttempt(_ id: TransferID) { turn.ended.append(id) }

    /// Takes what the scheduler said into the turn.
    ///
    /// Only stops are done at once: they need no record, and a store that is slow to answer must not keep bytes flowing.
    private nonisolated(nonsending) func note(
        _ effects: [Effect], at now: Moment, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        // Nobody can stop what has not been started yet.
        if effects.contains(where: { $0.stopped.map(turn.starting.contains) ?? false }) { await settle() }
        for effect in effects where effect.stopped != nil { perform(effect, at: now) }
        turn.changes += changes
        turn.savesLearned = turn.savesLearned || savingLearned || effects.contains(.saveLearned)
        let ended = effects.compactMap(\.ended)
        await records.load(ended)
        // What ends is saved as ended, whatever could be read of it.
        for id in ended { _ = records.record(of: id) }
        for effect in effects where effect.stopped == nil {
            if let change = storeChange(for: effect) { turn.changes.append(change) }
            if case .start(let id) = effect {
                // From here on what an earlier attempt still reports is late.
                records.record(of: id).attempt += 1
                turn.starting.insert(id)
            }
            turn.effects.append((effect, now))
        }
    }

    /// Saves what was decided, then does it.
    nonisolated(nonsending) func settle() async {
        guard !turn.isEmpty else { return }
        let turn = turn
        self.turn = Turn()
        let changes = turn.changes + (turn.savesLearned ? learnedNow() : [])
        if changes.isEmpty {
            writer.commitLater(turn.progress)
        } else {
            // Progress first: it belongs to attempts that the others may end.
            await writer.commit(turn.progress + changes)
        }
        await records.load(turn.effects.compactMap(\.effect.carriedOut))
        for (effect, time) in turn.effects { perform(effect, at: time) }
        for id in turn.ended { tellEndOfAttempt(id, at: alarm.now()) }
    }
}

extension Effect {
    /// The transfer whose attempt it ends.
    fileprivate var stopped: TransferID? { if case .stop(let id) = self { id } else { nil } }

    /// The transfer that it ends.
    fileprivate var ended: TransferID? { if case .end(let id, _) = self { id } else { nil } }

    /// The transfer whose specification is needed to perform it.
    fileprivate var carriedOut: TransferID? {
        switch self {
        case .start(let id), .discard(let id), .measureSpace(let id): id
        case .stop, .end, .saveRetry, .savePaused, .saveRelaunchHold, .saveLearned, .explain, .wake: nil
        }
    }
}
