// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// A snapshot as one line of `key=value` pairs. Values contain no spaces.
struct ProbeLine {
    let text: String

    init(_ conditions: Conditions) {
        func fact<Value>(_ fact: Fact<Value>, _ value: String) -> String {
            let mark = fact.isObservedChange ? "changed" : "settled"
            return "\(value.split(separator: " ").joined(separator: "_"))/\(fact.source)/\(fact.confidence)/\(mark)"
        }
        let battery = conditions.battery.value
        text = [
            "power=" + fact(conditions.power, conditions.power.value.rawValue),
            "battery="
                + fact(
                    conditions.battery,
                    "\(battery.level.map { String($0) } ?? "none"),\(battery.charging),\(battery.warning)"),
            "network=" + fact(conditions.network, conditions.network.value.rawValue),
            "kind=" + fact(conditions.linkKind, conditions.linkKind.value.rawValue),
            "metered=" + fact(conditions.metered, conditions.metered.value.rawValue),
            "connection=" + fact(conditions.connection, conditions.connection.value ?? "none"),
            "interface=" + fact(conditions.interface, conditions.interface.value ?? "none"),
            "profile=" + fact(conditions.powerProfile, conditions.powerProfile.value.rawValue),
            "sleep=" + fact(conditions.sleep, conditions.sleep.value.rawValue),
            "offset=\(conditions.localTime.offsetSeconds(at: conditions.power.since.wall))",
            "drains=\(conditions.drainsOnAC)",
            "underlay=" + fact(conditions.underlay, conditions.underlay.value ?? "none"),
            "roaming=" + fact(conditions.roaming, conditions.roaming.value.rawValue),
            "disagreements=\(conditions.disagreements.count)", "notes=\(conditions.notes.count)",
        ].joined(separator: " ")
    }
}
