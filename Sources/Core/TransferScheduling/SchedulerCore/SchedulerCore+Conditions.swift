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
        var changed = copy new
        // Before the first snapshot, nothing is known that could change.
        if journal.count > 0 { changed.markChanges(since: evaluator.context.conditions, at: now) }
        evaluator.context.conditions = changed
        transfers.changes.conditions = true
        if evaluator.isOffline {
            staggeredStart.ended(at: now.instant)
        } else if wasOffline, journal.count > 0 {
            // Before the first conditions arrive, no outage is known.
            staggeredStart.began(at: now.instant, configuration, using: &generator)
        }
        journal.record(changed, at: now)
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

extension Conditions {
    /// Marks each dated fact whose value differs from that of the last snapshot as an observed change.
    ///
    /// A source that compares its own readings has done so already, and may have seen more than the snapshots show.
    mutating func markChanges(since last: Conditions, at now: ClockReading) {
        // A fact is set only if it differs, because setting it copies the conditions.
        if let fact = power.marked(since: last.power, at: now) { power = fact }
        if let fact = network.marked(since: last.network, at: now) { network = fact }
        if let fact = linkKind.marked(since: last.linkKind, at: now) { linkKind = fact }
        if let fact = metered.marked(since: last.metered, at: now) { metered = fact }
        if let fact = connection.marked(since: last.connection, at: now) { connection = fact }
        if let fact = roaming.marked(since: last.roaming, at: now) { roaming = fact }
        // A hold has no debounce, but its reason names its start.
        if let fact = hold.marked(since: last.hold, at: now) { hold = fact }
        for (index, condition) in custom.enumerated() {
            guard let before = last.custom.first(where: { $0.name == condition.name }),
                let fact = condition.fact.marked(since: before.fact, at: now)
            else { continue }
            custom[index].fact = fact
        }
    }
}

extension Fact {
    /// Returns the fact with the start and the mark that follow from the last snapshot, or `nil` if both are right.
    fileprivate func marked(since last: Fact, at now: ClockReading) -> Fact? {
        var fact = self
        if value != last.value {
            let isNewer = since.instant > last.since.instant
            guard !isObservedChange || !isNewer else { return nil }
            fact.isObservedChange = true
            // A value cannot have been true since before the last one.
            if !isNewer { fact.since = now }
        } else if last.isObservedChange, !isObservedChange {
            (fact.since, fact.isObservedChange) = (last.since, true)
        } else {
            return nil
        }
        return fact
    }
}
