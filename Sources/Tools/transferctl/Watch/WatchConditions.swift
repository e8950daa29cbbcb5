// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import TransferBusProtocol
import TransferModel

/// What the machine is like, in few words, from what the daemon tells.
struct WatchConditions {
    private let fields: [String: VariantValue]

    /// Conditions as the bus has them.
    init(_ fields: [String: VariantValue]) { self.fields = fields }

    private func value(_ key: String) -> String? { fields[key]?.dictionary?["value"]?.string }

    /// What it runs on, and how full the battery is.
    var power: String {
        let source = ["ac": "mains", "battery": "battery"][value("power") ?? ""] ?? "unknown"
        let battery = fields["battery"]?.dictionary
        guard let level = battery?["level"]?.integer else { return source }
        let charging = battery?["charging"]?.string
        let state = charging == "charging" || charging == "discharging" ? " \(charging ?? "")" : ""
        return source == "battery" ? "battery \(level) %" : "\(source), battery \(level) %\(state)"
    }

    /// Whether there is a network, which, and what it costs.
    var network: String {
        switch value("network") {
        case nil: return "unknown"
        case "none": return "none"
        case "portal": return "waits for its login page"
        default: break
        }
        let kind = value("linkKind").flatMap { $0 == "unknown" || $0 == "other" ? nil : $0 } ?? "link of unknown kind"
        let name = value("connection").map { " \u{201C}\($0)\u{201D}" } ?? ""
        let price =
            switch value("metered") {
            case "yes": "metered"
            case "no": "not metered"
            case "guessYes": "probably metered"
            case "guessNo": "probably not metered"
            default: "price unknown"
            }
        return "\(kind)\(name), \(price)" + (value("roaming") == "yes" ? ", roaming" : "")
    }

    /// The hold on everything; nil where there is none.
    static func hold(_ fields: [String: VariantValue]) -> String? {
        guard let reason = fields["reason"]?.string else { return nil }
        return reason + (time(fields["until"]).map { ", until \($0)" } ?? "")
    }

    /// A date of the bus in local time: the hour, and the day where it is another than today.
    static func time(_ value: VariantValue?) -> String? {
        value?.string.flatMap(BusDate.init(parsing:)).map { time($0.wall) }
    }

    /// The same of a date that has been read.
    static func time(_ wall: WallTime) -> String {
        let date = Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = Calendar.current.isDateInToday(date) ? "HH:mm" : "EEE d MMM HH:mm"
        return formatter.string(from: date)
    }
}
