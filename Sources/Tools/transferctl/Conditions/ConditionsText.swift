// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// The text and JSON forms of conditions.
enum ConditionsText {
    /// A condition in display form.
    struct Row {
        var name: String
        var key: String
        var value: String
        var source: FactSource
        var since: ClockReading
        var confidence: Confidence

        init<Value>(_ name: String, key: String, _ fact: Fact<Value>, _ value: String) {
            self.name = name
            self.key = key
            self.value = value
            source = fact.source
            since = fact.since
            confidence = fact.confidence
        }
    }

    /// Returns all conditions, in display order.
    static func rows(_ conditions: Conditions) -> [Row] {
        let battery = conditions.battery.value
        var batteryText = battery.level.map { "\($0) %" } ?? "none or unknown"
        if battery.level != nil, battery.charging != .unknown { batteryText += ", \(battery.charging.rawValue)" }
        if conditions.drainsOnAC { batteryText += " while plugged in" }
        if battery.warning != .unknown, battery.warning != .none {
            batteryText += ", warning \(battery.warning.rawValue)"
        }
        return [
            Row("power", key: "power", conditions.power, conditions.power.value.rawValue),
            Row("battery", key: "battery", conditions.battery, batteryText),
            Row("power profile", key: "powerProfile", conditions.powerProfile, conditions.powerProfile.value.rawValue),
            Row("sleep", key: "sleep", conditions.sleep, conditions.sleep.value.rawValue),
            Row("network", key: "network", conditions.network, conditions.network.value.rawValue),
            Row("kind of network", key: "linkKind", conditions.linkKind, conditions.linkKind.value.rawValue),
            Row("metered", key: "metered", conditions.metered, conditions.metered.value.rawValue),
            Row("roaming", key: "roaming", conditions.roaming, conditions.roaming.value.rawValue),
            Row("connection", key: "connection", conditions.connection, conditions.connection.value ?? "unknown"),
            Row("interface", key: "interface", conditions.interface, interfaceText(conditions)),
        ]
    }

    /// Returns the interface, with the interface that carries it if there is one: `wg0 over wlan0`.
    private static func interfaceText(_ conditions: Conditions) -> String {
        guard let interface = conditions.interface.value else { return "none" }
        return conditions.underlay.value.map { "\(interface) over \($0)" } ?? interface
    }

    /// Returns the conditions as a table.
    static func table(_ conditions: Conditions) -> String {
        let header = ["CONDITION", "VALUE", "SOURCE", "SINCE", "CONFIDENCE"]
        let cells =
            [header]
            + rows(conditions).map { row in
                [
                    row.name, row.value.printable, row.source.displayName,
                    conditions.localTime.dateAndTime(of: row.since.wall), row.confidence.rawValue,
                ]
            }
        let widths = header.indices.map { column in cells.map { Formatting.columns($0[column]) }.max() ?? 0 }
        var lines = cells.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - Formatting.columns($0)) }
                .joined(separator: "  ").trimmingTrailingSpaces()
        }
        lines += conditions.notes.map { "note: \($0.printable)" }
        lines += conditions.disagreements.map { "disagreement: \("\($0)".printable)" }
        return lines.joined(separator: "\n")
    }

    /// Returns the conditions as a JSON object, each with its value, source, start time, and confidence.
    ///
    /// `battery` has a level, a charging state and a warning. It also states whether the battery drains while the
    /// machine is plugged in.
    static func object(_ conditions: Conditions) -> [String: Any] {
        var object: [String: Any] = ["disagreements": conditions.disagreements, "notes": conditions.notes]
        let underlay = Row("underlay", key: "underlay", conditions.underlay, "")
        for row in rows(conditions) + [underlay] {
            var fact: [String: Any] = [
                "source": row.source.displayName, "since": Formatting.rfc3339(row.since.wall),
                "confidence": row.confidence.rawValue,
            ]
            fact["value"] = row.value
            object[row.key] = fact
        }
        var battery = object["battery"] as? [String: Any] ?? [:]
        battery["value"] = nil
        battery["level"] = conditions.battery.value.level.map { $0 as Any } ?? NSNull()
        battery["charging"] = conditions.battery.value.charging.rawValue
        battery["warning"] = conditions.battery.value.warning.rawValue
        battery["drainsOnAC"] = conditions.drainsOnAC
        object["battery"] = battery
        let names = [
            ("connection", conditions.connection.value), ("interface", conditions.interface.value),
            ("underlay", conditions.underlay.value),
        ]
        for (key, value) in names {
            var fact = object[key] as? [String: Any] ?? [:]
            fact["value"] = value.map { $0 as Any } ?? NSNull()
            object[key] = fact
        }
        return object
    }

    /// Returns the changed conditions in one line, or `nil` if no displayed condition has changed.
    static func change(from old: Conditions?, to new: Conditions) -> String? {
        let before = old.map(rows) ?? []
        let changed = rows(new).enumerated().filter { index, row in
            before.isEmpty || before[index].value != row.value || before[index].source != row.source
        }
        guard !changed.isEmpty else { return nil }
        return "conditions: "
            + changed.map { "\($1.name) \($1.value) (\($1.source.displayName))" }.joined(separator: ", ")
    }
}

extension String {
    fileprivate func trimmingTrailingSpaces() -> String {
        var rest = Substring(self)
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
