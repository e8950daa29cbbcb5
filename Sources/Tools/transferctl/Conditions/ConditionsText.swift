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
        var sourceName: String
        /// The date from which the value has been true, or `nil` if nobody saw it begin.
        var since: WallTime?
        var confidence: Confidence

        init<Value>(_ name: String, key: String, _ fact: Fact<Value>, _ value: String) {
            self.name = name
            self.key = key
            self.value = value
            sourceName = fact.source.displayName
            since = fact.isObservedChange ? fact.since.wall : nil
            confidence = fact.confidence
        }
    }

    /// Returns all conditions, in display order. The price is a condition only if there is a source of prices.
    ///
    /// - Parameters:
    ///   - conditions: The conditions.
    ///   - now: The date for which the price is shown.
    ///   - daemon: The conditions of a running daemon, which knows how long they have been the same.
    static func rows(_ conditions: Conditions, at now: WallTime, daemon: ConditionsReport? = nil) -> [Row] {
        let battery = conditions.battery.value
        var batteryText = battery.level.map { "\($0) %" } ?? "none or unknown"
        if battery.level != nil, battery.charging != .unknown { batteryText += ", \(battery.charging.rawValue)" }
        if conditions.drainsOnAC { batteryText += " while plugged in" }
        if battery.warning != .unknown, battery.warning != .none {
            batteryText += ", warning \(battery.warning.rawValue)"
        }
        var rows = [
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
        let hold = HoldStatus(conditions.hold, includingReason: true)
        var holdRow = Row("hold", key: "hold", conditions.hold, WatchConditions.hold(hold) ?? "none")
        holdRow.since = hold.since
        if conditions.priceCurve.source != .none {
            let text = PriceText.words(PriceReport(conditions.priceCurve, at: now), localTime: conditions.localTime)
            rows.append(Row("price", key: "price", conditions.priceCurve, text))
        }
        if let report = daemon?.stayAwake {
            var row = Row("stay awake", key: "stayAwake", conditions.sleep, report.value ?? "")
            (row.sourceName, row.since) = (report.source ?? "", report.since)
            rows.append(row)
        }
        for condition in conditions.custom {
            var row = Row(condition.name, key: condition.name, condition.fact, condition.fact.value ?? "unknown")
            if condition.fact.source == .custom { row.sourceName = condition.origin }
            rows.append(row)
        }
        return (rows + [holdRow]).map { row in
            var row = row
            if let fact = daemon?.fact(row.key), fact.source == row.sourceName,
                fact.value.map({ $0 == row.value }) ?? true
            {
                row.since = row.since ?? fact.since
            }
            return row
        }
    }

    /// Returns the interface, with the interface that carries it if there is one: `wg0 over wlan0`.
    private static func interfaceText(_ conditions: Conditions) -> String {
        guard let interface = conditions.interface.value else { return "none" }
        return conditions.underlay.value.map { "\(interface) over \($0)" } ?? interface
    }

    /// Returns the conditions as a table, with the price at a date. In a narrow terminal, a date of today is shown as a
    /// time only.
    static func table(
        _ conditions: Conditions, at now: WallTime, daemon: ConditionsReport? = nil, width: Int = .max
    ) -> String {
        let rows = rows(conditions, at: now, daemon: daemon).filter { $0.key != "hold" || conditions.hold.value != nil }
        func table(_ date: (WallTime) -> String) -> ColumnTable {
            var table = ColumnTable(["CONDITION", "VALUE", "SOURCE", "SINCE", "CONFIDENCE"])
            for row in rows {
                table.add([
                    row.name, row.value, row.sourceName, row.since.map(date) ?? "", row.confidence.rawValue,
                ])
            }
            return table
        }
        var lines = table { conditions.localTime.dateAndTime(of: $0) }.lines(width: .max)
        if lines.contains(where: { Formatting.columns($0) > width }) {
            lines = table(WatchConditions.time).lines(width: width)
        }
        lines += conditions.notes.map { "note: \($0.printable)" }
        lines += conditions.disagreements.map { "disagreement: \("\($0)".printable)" }
        return lines.joined(separator: "\n")
    }

    /// Returns the conditions as a JSON object, each with its value, source, start time, and confidence.
    ///
    /// `battery` has a level, a charging state and a warning. It also states whether the battery drains while the
    /// machine is plugged in. `hold` has its holder, reason, and end. `price` has the price at a date, and the lowest known price from then on.
    static func object(_ conditions: Conditions, at now: WallTime, daemon: ConditionsReport? = nil) -> [String: Any] {
        var object: [String: Any] = ["disagreements": conditions.disagreements, "notes": conditions.notes]
        let underlay = Row("underlay", key: "underlay", conditions.underlay, "")
        for row in rows(conditions, at: now, daemon: daemon) + [underlay] {
            var fact: [String: Any] = [
                "source": row.sourceName, "since": row.since.map(Formatting.rfc3339) ?? NSNull(),
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
        if var hold = object["hold"] as? [String: Any] {
            let value = conditions.hold.value
            hold["value"] = value == nil ? "none" : "held"
            for (key, text) in [
                ("holder", value?.holder), ("reason", value?.why), ("until", value?.until.map(Formatting.rfc3339)),
            ] { hold[key] = text.map { $0 as Any } ?? NSNull() }
            object["hold"] = hold
        }
        if var price = object["price"] as? [String: Any] {
            price["value"] = nil
            price.merge(PriceText.fields(PriceReport(conditions.priceCurve, at: now))) { $1 }
            object["price"] = price
        }
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
        let now = WallTime(Date.now)
        let before = old.map { rows($0, at: now) }
        let changed = rows(new, at: now).filter { row in
            let former = before?.first { $0.key == row.key }
            // A hold is told only if there is one, or was.
            guard before != nil || row.key != "hold" || new.hold.value != nil else { return false }
            return former?.value != row.value || former?.sourceName != row.sourceName
        }
        guard !changed.isEmpty else { return nil }
        return "conditions: " + changed.map { "\($0.name) \($0.value) (\($0.sourceName))" }.joined(separator: ", ")
    }
}

extension ConditionsReport {
    /// Returns the report on the fact with a key of the JSON form.
    fileprivate func fact(_ key: String) -> FactReport? {
        let facts = [
            "power": power, "battery": battery, "powerProfile": powerProfile, "sleep": sleep, "network": network,
            "linkKind": linkKind, "metered": metered, "roaming": roaming, "connection": connection,
            "interface": interface,
        ]
        return facts[key] ?? nil ?? custom?[key]
    }
}
