// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// Changes of the machine's conditions, and the history that results from them.

extension SchedulerCore where Queue: ~Copyable {
    mutating func changeConditions(
        to new: borrowing Conditions, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        let (wasUsable, wasOut) = (assessment.context.conditions.network.value.isUsable, assessment.isOut)
        if !transfers.active.isEmpty { assessment.context.chargeBattery(until: new) }
        assessment.context.history.elapse(to: now, localTime: assessment.context.conditions.localTime)
        assessment.context.conditions = copy new
        transfers.changes.conditions = true
        if assessment.isOut {
            drain.ended(at: now.instant)
        } else if wasOut, journal.count > 0 {
            // Before the first conditions arrive, no outage is known.
            drain.began(at: now.instant, configuration, using: &generator)
        }
        journal.note(new, at: now)
        observe(at: now)
        let isUsable = assessment.context.conditions.network.value.isUsable
        guard isUsable != wasUsable else { return }
        transfers.networkChanged(
            isLost: !isUsable, within: configuration.networkDwell, at: now, assessment, into: &effects)
    }

    /// Records the current conditions in the history. The running apps are recorded only for policies that may use
    /// them.
    mutating func observe(at now: Moment) {
        let observation = PolicyHistory.Observation(
            assessment.context.conditions, at: now, runningApps: assessment.isStaged ? [] : transfers.active.apps,
            treatingUnknownAs: configuration.unknownMetered)
        assessment.context.history.observe(observation, localTime: assessment.context.conditions.localTime)
    }

    /// Updates the context for policies: the running apps and the summary of the queue.
    mutating func refreshContext(at now: Moment) {
        // Attempts may have ended since the last observation.
        if !assessment.isStaged, assessment.context.history.observed != nil { observe(at: now) }
        assessment.context.queue = transfers.summary(at: now)
    }
}
