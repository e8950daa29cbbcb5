// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
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

/// Deciding, saving and doing. Several events may be decided before the first is saved: then one transaction holds them
/// all, and nothing of any is done before that.
extension TransferEngine {
    /// One event: decided, saved, done, with whatever was decided before it.
    ///
    /// - Parameter savingLearned: whether what was learned is to be saved whatever the effects say.
    func handle(_ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false) async {
        await decide(event, saving: changes, savingLearned: savingLearned)
        await settle()
    }

    /// Decides about an event; saving and doing is left to ``settle()``.
    ///
    /// - Returns: what the scheduler wants done.
    @discardableResult
    func decide(_ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false) async -> [Effect] {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        await note(effects, at: now, saving: changes, savingLearned: savingLearned)
        return effects
    }

    /// Takes what the scheduler said into the turn.
    ///
    /// Only stops are done at once: they need no record, and a store that is slow to answer must not keep bytes flowing.
    func note(
        _ effects: [Effect], at now: Moment, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        // Nobody can stop what has not been started yet.
        if effects.contains(where: { $0.stopped.map(turn.starting.contains) ?? false }) { await settle() }
        for effect in effects where effect.stopped != nil { perform(effect, at: now) }
        turn.changes += changes
        turn.savesLearned = turn.savesLearned || savingLearned || effects.contains(.saveLearned)
        let ended = effects.compactMap(\.ended)
        await load(ended)
        // What ends is saved as ended, whatever could be read of it.
        for id in ended { _ = record(of: id) }
        for effect in effects where effect.stopped == nil {
            if let change = storeChange(for: effect) { turn.changes.append(change) }
            if case .start(let id) = effect {
                // From here on what an earlier attempt still reports is late.
                record(of: id).attempt += 1
                turn.starting.insert(id)
            }
            turn.effects.append((effect, now))
        }
    }

    /// Saves what was decided, then does it.
    func settle() async {
        guard !turn.isEmpty else { return }
        let turn = turn
        self.turn = Turn()
        let changes = turn.changes + (turn.savesLearned ? learnedNow() : [])
        if changes.isEmpty {
            for change in turn.progress { commitLater(change) }
        } else {
            // Progress first: it belongs to attempts that the others may end.
            await commit(turn.progress + changes)
        }
        await load(turn.effects.compactMap(\.effect.carriedOut))
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
