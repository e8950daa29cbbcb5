// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Merges the readings of all sources into successive snapshots.
///
/// Facts of the first snapshot count as settled. Later facts carry the time of their last change and are marked as
/// observed changes. If two sources disagree, the more costly value counts, as a guess.
struct ConditionsMerger {
    /// A fact before it is compared with the fact in the last snapshot.
    struct Finding<Value: Hashable & Sendable> {
        var value: Value
        var source: FactSource
        var sureness: Sureness
    }

    /// The rules of the local time zone.
    var localTime: LocalTimeRules
    private var hasSeenBattery = false
    private(set) var snapshot: Conditions?

    init(localTime: LocalTimeRules) { self.localTime = localTime }

    /// Remembers the state on which later snapshots depend.
    ///
    /// Called for every change of the readings, even before the first snapshot. A battery that was seen once exists,
    /// even if its source disappears.
    mutating func note(_ readings: Readings) {
        hasSeenBattery = hasSeenBattery || readings.showBattery
    }

    /// Returns the next snapshot; nil if the snapshot has not changed.
    mutating func merge(_ readings: Readings, at now: Moment) -> Conditions? {
        note(readings)
        var next = snapshot ?? Conditions(unknownSince: now, localTime: localTime)
        let power = readings.power(hasSeenBattery: hasSeenBattery)
        let network = readings.reachability
        let kind = readings.linkKind
        take(power.source, as: \.power, in: &next, at: now)
        take(readings.battery, as: \.battery, in: &next, at: now)
        take(readings.powerProfile.finding, as: \.powerProfile, in: &next, at: now)
        take(readings.sleepFinding, as: \.sleep, in: &next, at: now)
        take(network, as: \.network, in: &next, at: now)
        take(kind, as: \.linkKind, in: &next, at: now)
        let price = readings.price(over: kind.value)
        take(price.metered, as: \.metered, in: &next, at: now)
        take(readings.roaming(over: kind), as: \.roaming, in: &next, at: now)
        take(readings.connection, as: \.connection, in: &next, at: now)
        take(readings.interface, as: \.interface, in: &next, at: now)
        take(readings.underlay, as: \.underlay, in: &next, at: now)
        next.disagreements = power.disagreements + price.disagreements
        next.notes = readings.overridesProblem.map { [$0] } ?? []
        next.localTime = localTime
        guard next != snapshot else { return nil }
        snapshot = next
        return next
    }

    private func take<Value>(
        _ finding: Finding<Value>, as path: WritableKeyPath<Conditions, Fact<Value>>, in next: inout Conditions,
        at now: Moment
    ) {
        if snapshot == nil {
            next[keyPath: path] = Fact(
                finding.value, source: finding.source, since: now, sureness: finding.sureness)
        } else {
            next[keyPath: path] = next[keyPath: path].updated(
                to: finding.value, source: finding.source, sureness: finding.sureness, at: now)
        }
    }
}
