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
        if !transfers.active.isEmpty { evaluator.context.chargeBattery(until: new) }
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

    /// Records the current conditions in the history. The running apps are recorded only for policies that may use
    /// them.
    mutating func observe(at now: ClockReading) {
        let observation = PolicyHistory.Observation(
            evaluator.context.conditions, at: now, runningApps: evaluator.isPhased ? [] : transfers.active.apps,
            treatingUnknownAs: configuration.unknownMetered)
        evaluator.context.history.observe(observation, localTime: evaluator.context.conditions.localTime)
    }

    /// Updates the context for policies: the running apps and the summary of the queue.
    mutating func refreshContext(at now: ClockReading) {
        // Attempts may have ended since the last observation.
        if !evaluator.isPhased, evaluator.context.history.observed != nil { observe(at: now) }
        evaluator.context.queue = transfers.summary(at: now)
    }
}
