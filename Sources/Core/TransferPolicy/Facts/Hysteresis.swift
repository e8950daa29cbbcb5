// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Decides from when on a changed fact counts for transfers: for a start once the fact has held, for the stop of a transfer
/// that runs once the loss was borne for a while.
///
/// The second of the two steps that ``Debounce`` tells of: seconds, by the dates that facts carry. There is no timer; the
/// answers are moments to ask again at.
/// ```swift
/// let hysteresis = Hysteresis(start: { _ in .seconds(10) }, stop: { _ in .seconds(5) })
/// hysteresis.starts(under: conditions)[Int(RelevantFacts.power.rawValue)]  // 10 s after the change to mains
/// ```
package struct Hysteresis: Sendable {
    // In nanoseconds, since a look at the settings' own durations costs a division of 128 bits.
    private let startTimes: InlineArray<5, Int64>
    private let stopTimes: InlineArray<5, Duration>

    /// - Parameters:
    ///   - start: how long a change of a fact must hold before a start relies on it.
    ///   - stop: how long a transfer that runs bears the loss of a fact.
    package init(start: (GracedFact) -> Duration, stop: (GracedFact) -> Duration) {
        startTimes = InlineArray { start(GracedFact.allCases[$0]).wholeNanoseconds }
        stopTimes = InlineArray { stop(GracedFact.allCases[$0]) }
    }

    // MARK: Starts

    /// The moment from which on starts may rely on each combination of facts, by its raw value: as far back as can be if
    /// no fact among them was seen to change.
    package func starts(under conditions: Conditions) -> InlineArray<8, Instant> {
        let power = start(on: conditions.power, as: .power)
        let network = max(
            start(on: conditions.network, as: .network), start(on: conditions.linkKind, as: .linkKind),
            start(on: conditions.metered, as: .metered))
        let connection = max(
            start(on: conditions.connection, as: .connection),
            start(on: conditions.roaming, as: .connection))
        return InlineArray { number in
            let facts = RelevantFacts(rawValue: UInt8(number))
            var latest = Instant(nanoseconds: .min)
            if facts.contains(.power) { latest = max(latest, power) }
            if facts.contains(.network) { latest = max(latest, network) }
            if facts.contains(.connection) { latest = max(latest, connection) }
            return latest
        }
    }

    /// The reasons to wait before a start relies on facts, and when the first of these ends; none if all have held.
    package func holds(
        relyingOn facts: RelevantFacts, under conditions: Conditions, at now: Instant
    ) -> (holds: [Hold], until: Instant?) {
        var changes: [Change] = []
        if facts.contains(.power) { changes.append(change(.power, conditions.power, as: .power)) }
        var network: [Change] = []
        if facts.contains(.network) {
            network.append(change(.network, conditions.network, as: .network))
            network.append(change(.network, conditions.linkKind, as: .linkKind))
            network.append(change(.network, conditions.metered, as: .metered))
        }
        if facts.contains(.connection) {
            network.append(change(.network, conditions.connection, as: .connection))
            network.append(change(.network, conditions.roaming, as: .connection))
        }
        // Of the network's facts the one that settles last is the reason.
        if let last = network.max(by: { $0.until < $1.until }) { changes.append(last) }
        let waits = changes.filter { now < $0.until }
        return (waits.map(\.hold), waits.map(\.until).min())
    }

    private struct Change {
        let until: Instant
        let hold: Hold
    }

    private func change<Value>(
        _ condition: SettlingCondition, _ fact: Fact<Value>, as kind: GracedFact
    ) -> Change {
        let until = start(on: fact, as: kind)
        return Change(
            until: until,
            hold: Hold(
                .settling(condition, until: until), since: fact.since, source: fact.source,
                sureness: .reported))
    }

    private func start<Value>(on fact: Fact<Value>, as kind: GracedFact) -> Instant {
        guard fact.isObservedChange else { return Instant(nanoseconds: .min) }
        return Instant(
            nanoseconds: fact.since.instant.nanoseconds.addingSaturating(startTimes[kind.rawValue]))
    }

    // MARK: Stops

    /// Since when each fact is missing that a transfer needs which runs.
    ///
    /// The transfer's own, not the fact's: on its way from mains to battery to unknown the fact begins anew each time.
    ///
    /// - Parameter before: the answer of the last time.
    package func missing(for holds: [Hold], before: [GracedFact: Instant]) -> [GracedFact: Instant] {
        var missing: [GracedFact: Instant] = [:]
        for hold in holds {
            guard let fact = hold.reason.gracedFact else { continue }
            let since = min(before[fact] ?? hold.since.instant, hold.since.instant)
            missing[fact] = min(missing[fact] ?? since, since)
        }
        return missing
    }

    /// The moment at which a transfer that runs stops for these reasons; nil if it stops at once, because a reason is none
    /// that is borne.
    package func stop(for holds: [Hold], missingSince: [GracedFact: Instant]) -> Instant? {
        var first: Instant?
        for hold in holds {
            guard let fact = hold.reason.gracedFact, let since = missingSince[fact] else { return nil }
            first = Verdict.earlier(first, since.advanced(by: stopTimes[fact.rawValue]))
        }
        return first
    }
}
