// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// Changes of the machine's conditions, and the history that results from them.

extension SchedulerCore where Queue: ~Copyable {
    mutating func changeConditions(
        to new: borrowing Conditions, at now: ClockReading, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        let (wasUsable, wasOffline) = (evaluator.context.conditions.network.value.isUsable, evaluator.isOffline)
        evaluator.context.history.elapse(to: now, localTime: evaluator.context.conditions.localTime)
        evaluator.context.conditions = copy new
        transfers.changes.conditions = true
        if evaluator.isOffline {
            staggeredStart.ended(at: now.instant)
        } else if wasOffline, journal.count > 0 {
            // Before the first conditions arrive, no outage is known.
            staggeredStart.began(at: now.instant, configuration, using: &generator)
        }
        journal.record(new, at: now)
        observe(at: now)
        let isUsable = evaluator.context.conditions.network.value.isUsable
        guard isUsable != wasUsable else { return }
        transfers.networkChanged(
            isLost: !isUsable, within: configuration.networkDebounce, at: now, evaluator, into: &effects)
    }

    /// Records the current conditions in the history.
    mutating func observe(at now: ClockReading) {
        let observation = PolicyHistory.Observation(
            evaluator.context.conditions, at: now, treatingUnknownAs: configuration.unknownMetered)
        evaluator.context.history.observe(observation, localTime: evaluator.context.conditions.localTime)
    }
}
