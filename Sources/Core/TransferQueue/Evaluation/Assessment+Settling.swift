// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy

extension Assessment {
    /// A condition that was seen to change must hold for its dwell time before a start relies on it.
    func settled(_ verdict: Verdict) -> Verdict {
        guard case .run(let relyingOn, let lookAgain) = verdict else { return verdict }
        var holds: [Hold] = []
        var earliest: Instant?
        func settle(_ condition: SettlingCondition, since: Moment, source: FactSource, dwell: Duration) {
            let until = since.instant.advanced(by: dwell)
            guard now.instant < until else { return }
            holds.append(Hold(.settling(condition, until: until), since: since, source: source, sureness: .reported))
            earliest = Verdict.earlier(earliest, until)
        }
        if relyingOn.contains(.power), conditions.power.isObservedChange {
            settle(
                .power, since: conditions.power.since, source: conditions.power.source,
                dwell: configuration.powerDwell)
        }
        // Of the network's facts the one that settles last is the reason.
        let unsettled = networkChanges(relyingOn).map { ($0, $0.since.instant.advanced(by: $0.dwell)) }
        if let (change, _) = unsettled.max(by: { $0.1 < $1.1 }) {
            settle(.network, since: change.since, source: change.source, dwell: change.dwell)
        }
        guard !holds.isEmpty else { return verdict }
        // When the first of them has settled the reasons change, and that is told.
        return .hold(holds, lookAgain: Verdict.earlier(earliest, lookAgain))
    }

    /// When each combination of facts will have settled, by their raw value; as far back as can be where they have.
    func settleEnds() -> InlineArray<8, Instant> {
        func end<Value>(_ fact: Fact<Value>, _ dwell: Int64) -> Int64 {
            fact.isObservedChange ? fact.since.instant.nanoseconds.addingSaturating(dwell) : .min
        }
        let power = end(conditions.power, powerDwell)
        let network = max(
            end(conditions.network, networkDwell), end(conditions.linkKind, linkKindDwell),
            end(conditions.metered, meteredDwell))
        let connection = max(
            end(conditions.connection, connectionDwell), end(conditions.roaming, connectionDwell))
        return InlineArray { number in
            let facts = RelevantFacts(rawValue: UInt8(number))
            var latest = Int64.min
            if facts.contains(.power) { latest = max(latest, power) }
            if facts.contains(.network) { latest = max(latest, network) }
            if facts.contains(.connection) { latest = max(latest, connection) }
            return Instant(nanoseconds: latest)
        }
    }

    private func networkChanges(
        _ relyingOn: RelevantFacts
    ) -> [(since: Moment, source: FactSource, dwell: Duration)] {
        var changes: [(since: Moment, source: FactSource, dwell: Duration)] = []
        func note<Value>(_ fact: Fact<Value>, _ dwell: Duration) {
            if fact.isObservedChange { changes.append((fact.since, fact.source, dwell)) }
        }
        if relyingOn.contains(.network) {
            note(conditions.network, configuration.networkDwell)
            note(conditions.linkKind, configuration.linkKindDwell)
            note(conditions.metered, configuration.meteredDwell)
        }
        if relyingOn.contains(.connection) {
            note(conditions.connection, configuration.connectionDwell)
            note(conditions.roaming, configuration.connectionDwell)
        }
        return changes
    }
}
