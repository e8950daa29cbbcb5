// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// What the machine does, and what is learned of it.

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
            // Before the first conditions nothing was known to be out.
            drain.began(at: now.instant, configuration, using: &generator)
        }
        journal.note(new, at: now)
        observe(at: now)
        let isUsable = assessment.context.conditions.network.value.isUsable
        guard isUsable != wasUsable else { return }
        transfers.networkChanged(
            isLost: !isUsable, within: configuration.networkDwell, at: now, assessment, into: &effects)
    }

    /// Notes how things stand from now on. How long each app's transfers run is noted only for a policy that may ask.
    mutating func observe(at now: Moment) {
        let observation = PolicyHistory.Observation(
            assessment.context.conditions, at: now, runningApps: assessment.isStaged ? [] : transfers.active.apps,
            treatingUnknownAs: configuration.unknownMetered)
        assessment.context.history.observe(observation, localTime: assessment.context.conditions.localTime)
    }

    /// What a policy may know beside the conditions, if it asks for it.
    mutating func refreshContext(at now: Moment) {
        // Attempts may have ended since things were last observed.
        if !assessment.isStaged, assessment.context.history.observed != nil { observe(at: now) }
        assessment.context.queue = transfers.summary(at: now)
    }
}
