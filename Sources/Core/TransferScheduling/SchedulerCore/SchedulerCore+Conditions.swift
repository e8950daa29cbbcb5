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
        chargeBattery(to: new, at: now)
        assessment.context.history.elapse(to: now, localTime: assessment.context.conditions.localTime)
        journal.note(new, at: now)
        assessment.context.conditions = copy new
        machine = ConditionSignature(assessment.context.conditions)
        transfers.changes.conditions = true
        if assessment.isOut {
            drain.ended(at: now.instant)
        } else if wasOut, hasConditions {
            drain.began(at: now.instant, configuration, using: &generator)
        }
        hasConditions = true
        observe(at: now)
        let isUsable = assessment.context.conditions.network.value.isUsable
        if isUsable != wasUsable { networkChanged(isLost: !isUsable, at: now, into: &effects) }
    }

    private mutating func networkChanged(isLost: Bool, at now: Moment, into effects: inout [Effect]) {
        // A failure just before the network was seen to go is the network's, not the server's: it costs no attempt.
        // And once there is a network again, waiting for the end of a backoff that its absence caused helps nobody.
        guard !transfers.backingOff.isEmpty else { return }
        for id in transfers.backingOff.sorted() {
            guard let entry = transfers.queue.entry(of: id), !entry.traits.isLoopback,
                case .waiting(.backoff(let attempt, let cause, let failed, _)) = entry.phase, cause.isOfTheConnection
            else { continue }
            if isLost, failed.instant.advanced(by: configuration.networkDwell) < now.instant { continue }
            transfers.endBackoff(
                of: id, leaving: isLost ? attempt - 1 : attempt, cause, at: now, assessment, into: &effects)
        }
    }

    /// What the battery lost while something ran counts as spent.
    private mutating func chargeBattery(to new: borrowing Conditions, at now: Moment) {
        guard new.power.value == .battery, assessment.context.conditions.power.value == .battery,
            !transfers.active.isEmpty,
            let before = assessment.context.conditions.battery.value.level, let after = new.battery.value.level,
            after < before
        else { return }
        assessment.context.history.spending.charge(
            batteryPercent: before - after, at: now.wall, localTime: new.localTime)
    }

    /// Notes how things stand from now on. How long each app's transfers run is noted only for a policy that may ask.
    mutating func observe(at now: Moment) {
        let observation = PolicyHistory.Observation(
            assessment.context.conditions, at: now, runningApps: assessment.isStaged ? [] : runningApps(),
            treatingUnknownAs: configuration.unknownMetered)
        assessment.context.history.observe(observation, localTime: assessment.context.conditions.localTime)
    }

    private mutating func runningApps() -> [String] {
        var apps: Set<String> = []
        transfers.active.forEach { apps.insert($1.entry.traits.app) }
        return apps.sorted()
    }

    /// An attempt of the app has begun or ended.
    mutating func noteRunning(isLoopback: Bool, at now: Moment) {
        // This machine's own servers wake no radio.
        if !isLoopback { lastActivity = now.instant }
        if !assessment.isStaged { observe(at: now) }
    }
}
