// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Merges the readings of all sources into successive snapshots.
///
/// Facts of the first snapshot count as unchanged. Later facts carry the time of their last change and are marked as
/// observed changes. If two sources disagree, the more costly value counts, as a guess.
struct ConditionsMerger {
    /// A fact before it is compared with the fact in the last snapshot.
    struct ObservedValue<Value: Hashable & Sendable> {
        var value: Value
        var source: FactSource
        var confidence: Confidence
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
    mutating func record(_ readings: Readings) {
        hasSeenBattery = hasSeenBattery || readings.showBattery
    }

    /// Merges the readings into the next snapshot. Returns `nil` if the snapshot has not changed.
    mutating func merge(_ readings: Readings, at now: ClockReading) -> Conditions? {
        record(readings)
        var next = snapshot ?? Conditions(unknownSince: now, localTime: localTime)
        let power = readings.power(hasSeenBattery: hasSeenBattery)
        let network = readings.reachability
        let kind = readings.linkKind
        updateFact(power.source, as: \.power, in: &next, at: now)
        updateFact(readings.battery, as: \.battery, in: &next, at: now)
        updateFact(readings.powerProfile.observed, as: \.powerProfile, in: &next, at: now)
        updateFact(readings.observedSleep, as: \.sleep, in: &next, at: now)
        updateFact(network, as: \.network, in: &next, at: now)
        updateFact(kind, as: \.linkKind, in: &next, at: now)
        let price = readings.price(over: kind.value)
        updateFact(price.metered, as: \.metered, in: &next, at: now)
        updateFact(readings.roaming(over: kind), as: \.roaming, in: &next, at: now)
        updateFact(readings.connection, as: \.connection, in: &next, at: now)
        updateFact(readings.interface, as: \.interface, in: &next, at: now)
        updateFact(readings.underlay, as: \.underlay, in: &next, at: now)
        updateFact(readings.observedPrices, as: \.priceCurve, in: &next, at: now)
        next.custom = readings.customConditions(after: snapshot?.custom, at: now)
        next.disagreements = power.disagreements + price.disagreements
        next.notes = [readings.overridesProblem, readings.prices.problem].compactMap { $0 } + readings.customProblems
        next.localTime = localTime
        guard next != snapshot else { return nil }
        snapshot = next
        return next
    }

    private func updateFact<Value>(
        _ observed: ObservedValue<Value>, as path: WritableKeyPath<Conditions, Fact<Value>>, in next: inout Conditions,
        at now: ClockReading
    ) {
        if snapshot == nil {
            next[keyPath: path] = Fact(
                observed.value, source: observed.source, since: now, confidence: observed.confidence)
        } else {
            next[keyPath: path] = next[keyPath: path].updated(
                to: observed.value, source: observed.source, confidence: observed.confidence, at: now)
        }
    }
}
