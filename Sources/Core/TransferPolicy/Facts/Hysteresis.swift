// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The debounce of starts and the hysteresis of stops: the times from which a changed fact affects transfers.
///
/// A start relies on a fact only after the fact has been stable for a while. A running transfer stops only after the
/// fact has been missing for a while.
///
/// This type is the second of the two steps that ``Debounce`` describes. The times are durations of a few seconds,
/// measured from the dates of the facts. The type has no timer; its methods return the moments of re-evaluation.
///
/// ```swift
/// let hysteresis = Hysteresis(start: { _ in .seconds(10) }, stop: { _ in .seconds(5) })
/// hysteresis.starts(under: conditions)[Int(RelevantFacts.power.rawValue)]  // 10 s after the change to AC power
/// ```
package struct Hysteresis: Sendable {
    // In nanoseconds, because reading the settings' own durations costs a 128-bit division.
    private let startTimes: InlineArray<5, Int64>
    private let stopTimes: InlineArray<5, Duration>

    /// Creates a value from the times of all facts.
    ///
    /// - Parameters:
    ///   - start: Returns the time for which a changed fact must be stable before a start relies on it.
    ///   - stop: Returns the time for which a running transfer tolerates the loss of a fact.
    package init(start: (HysteresisFact) -> Duration, stop: (HysteresisFact) -> Duration) {
        startTimes = InlineArray { start(HysteresisFact.allCases[$0]).wholeNanoseconds }
        stopTimes = InlineArray { stop(HysteresisFact.allCases[$0]) }
    }

    // MARK: Starts

    /// Returns the earliest moment of a start for each combination of facts, indexed by raw value.
    ///
    /// The moment is the earliest possible instant if none of the facts was seen to change.
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

    /// Returns the reasons to wait before a start relies on `facts`, and the moment at which the first reason ends.
    ///
    /// The list is empty if all facts have been stable long enough.
    package func reasons(
        relyingOn facts: RelevantFacts, under conditions: Conditions, at now: Instant
    ) -> (reasons: [WaitReason], until: Instant?) {
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
        // Among the network's facts, the reason is the fact whose debounce ends last.
        if let last = network.max(by: { $0.until < $1.until }) { changes.append(last) }
        let waits = changes.filter { now < $0.until }
        return (waits.map(\.wait), waits.map(\.until).min())
    }

    private struct Change {
        let until: Instant
        let wait: WaitReason
    }

    private func change<Value>(
        _ condition: DebouncedCondition, _ fact: Fact<Value>, as kind: HysteresisFact
    ) -> Change {
        let until = start(on: fact, as: kind)
        return Change(
            until: until,
            wait: WaitReason(
                .debouncing(condition, until: until), since: fact.since, source: fact.source,
                confidence: .reported))
    }

    private func start<Value>(on fact: Fact<Value>, as kind: HysteresisFact) -> Instant {
        guard fact.isObservedChange else { return Instant(nanoseconds: .min) }
        return Instant(
            nanoseconds: fact.since.instant.nanoseconds.addingSaturating(startTimes[kind.rawValue]))
    }

    // MARK: Stops

    /// Returns the facts that a running transfer needs but lacks, with the moment from which each has been missing.
    ///
    /// The moment belongs to the transfer, not to the fact. On the way from AC power to battery to unknown, the fact
    /// gets a new start each time, but the moment stays.
    ///
    /// - Parameter before: The result of the previous call.
    package func missing(for reasons: [WaitReason], before: [HysteresisFact: Instant]) -> [HysteresisFact: Instant] {
        var missing: [HysteresisFact: Instant] = [:]
        for wait in reasons {
            guard let fact = wait.reason.hysteresisFact else { continue }
            let since = min(before[fact] ?? wait.since.instant, wait.since.instant)
            missing[fact] = min(missing[fact] ?? since, since)
        }
        return missing
    }

    /// Returns the moment at which a running transfer stops for these reasons.
    ///
    /// - Returns: `nil` if the transfer stops immediately, because a reason has no hysteresis.
    package func stop(for reasons: [WaitReason], missingSince: [HysteresisFact: Instant]) -> Instant? {
        var first: Instant?
        for wait in reasons {
            guard let fact = wait.reason.hysteresisFact, let since = missingSince[fact] else { return nil }
            first = Verdict.earlier(first, since.advanced(by: stopTimes[fact.rawValue]))
        }
        return first
    }
}
