// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Published conditions in the form of a recording.
struct RecordedConditions: Codable, Hashable {
    private enum CodingKeys: String, CodingKey {
        case facts = "facts"
        case disagreements = "disagreements"
        case notes = "notes"
        case localTime = "localTime"
    }

    /// A fact.
    struct Entry: Codable, Hashable {
        private enum CodingKeys: String, CodingKey {
            case value = "value"
            case source = "source"
            case confidence = "sureness"
            case since = "since"
            case changed = "changed"
        }

        /// The value; `nil` for none.
        var value: String?
        var source: String
        var confidence: String
        /// The time of the last change: nanoseconds on the boot-time clock, and nanoseconds since 1970 on the wall
        /// clock.
        var since: [Int64]
        /// Whether the value was observed to change.
        var changed: Bool
    }

    /// The facts, by name.
    var facts: [String: Entry]
    var disagreements: [String]
    var notes: [String]
    var localTime: RecordedLocalTime

    init(_ conditions: Conditions) {
        func entry<Value>(_ fact: Fact<Value>, _ value: String?) -> Entry {
            Entry(
                value: value, source: fact.source.rawValue, confidence: fact.confidence.rawValue,
                since: [fact.since.instant.nanoseconds, fact.since.wall.nanosecondsSinceEpoch],
                changed: fact.isObservedChange)
        }
        func entry<Value: RawRepresentable<String>>(_ fact: Fact<Value>) -> Entry { entry(fact, fact.value.rawValue) }
        func entry(_ fact: Fact<String?>) -> Entry { entry(fact, fact.value) }
        facts = [
            "power": entry(conditions.power), "battery": entry(conditions.battery, conditions.battery.value.words),
            "powerProfile": entry(conditions.powerProfile), "sleep": entry(conditions.sleep),
            "network": entry(conditions.network), "linkKind": entry(conditions.linkKind),
            "metered": entry(conditions.metered), "roaming": entry(conditions.roaming),
            "connection": entry(conditions.connection), "interface": entry(conditions.interface),
            "underlay": entry(conditions.underlay),
        ]
        // Recordings of machines without prices, and of earlier versions, have no such fact.
        if conditions.priceCurve.source != .none {
            facts["priceCurve"] = entry(conditions.priceCurve, conditions.priceCurve.value?.words)
        }
        for condition in conditions.custom { facts["custom.\(condition.name)"] = entry(condition.fact) }
        disagreements = conditions.disagreements
        notes = conditions.notes
        localTime = RecordedLocalTime(conditions.localTime)
    }

    /// Returns the differences from `other`, in words; empty if there are none.
    func differences(from other: RecordedConditions) -> [String] {
        var words: [String] = []
        for name in Set(facts.keys).union(other.facts.keys).sorted() {
            let (own, others) = (facts[name], other.facts[name])
            guard own != others else { continue }
            words.append("\(name): recorded \(own?.words ?? "nothing"), decoded \(others?.words ?? "nothing")")
        }
        func compare(_ name: String, _ own: some Equatable, _ others: some Equatable, _ isSame: Bool) {
            if !isSame { words.append("\(name): recorded \(own), decoded \(others)") }
        }
        compare("disagreements", disagreements, other.disagreements, disagreements == other.disagreements)
        compare("notes", notes, other.notes, notes == other.notes)
        compare("the local time", localTime, other.localTime, localTime == other.localTime)
        return words
    }
}

extension RecordedConditions.Entry {
    /// The fact in words, for errors.
    fileprivate var words: String {
        "\(value ?? "none") (\(source), \(confidence), \(changed ? "changed" : "unchanged") at \(since))"
    }
}

extension PriceCurve {
    /// The periods with their prices, in nanoseconds since 1970.
    fileprivate var words: String {
        segments.map { "\($0.start.nanosecondsSinceEpoch)-\($0.end.nanosecondsSinceEpoch)=\($0.price)" }
            .joined(separator: " ")
    }
}

extension BatteryState {
    /// The state in words, such as `80 discharging low`. The level is `none` if it is unknown.
    fileprivate var words: String { "\(level.map { "\($0)" } ?? "none") \(charging.rawValue) \(warning.rawValue)" }
}
