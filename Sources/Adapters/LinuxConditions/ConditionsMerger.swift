// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Folds the words of all sources into one snapshot after another.
///
/// Facts of the first snapshot count as settled; later ones tell since when they hold and that they were seen to
/// change. Where two sources disagree the dearer value counts, as a guess.
struct ConditionsMerger {
    /// One fact before it is compared with the one before.
    struct Finding<Value: Hashable & Sendable> {
        var value: Value
        var source: FactSource
        var sureness: Sureness
    }

    /// The local time zone's rules.
    var localTime: LocalTimeRules
    private var hasSeenBattery = false
    private(set) var snapshot: Conditions?

    init(localTime: LocalTimeRules) { self.localTime = localTime }

    /// Remembers what later answers depend on.
    ///
    /// Every change of the readings goes through here, before the first snapshot too: a battery seen once is a battery,
    /// even when the source that saw it dies.
    mutating func note(_ readings: Readings) {
        hasSeenBattery = hasSeenBattery || readings.showBattery
    }

    /// The next snapshot; nil when it equals the one before.
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
