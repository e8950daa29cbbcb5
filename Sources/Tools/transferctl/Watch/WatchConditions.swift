// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import TransferModel

/// A short description of the machine's conditions as the daemon reports them.
struct WatchConditions {
    private let report: ConditionsReport

    /// Creates a description of a report.
    init(_ report: ConditionsReport) { self.report = report }

    /// The power source, and the battery level if there is one.
    var power: String {
        let source = ["ac": "AC", "battery": "battery"][report.power?.value ?? ""] ?? "unknown"
        guard let level = report.battery?.level else { return source }
        let charging = report.battery?.charging
        let state = charging == .charging || charging == .discharging ? " \(charging?.rawValue ?? "")" : ""
        return source == "battery" ? "battery \(level) %" : "\(source), battery \(level) %\(state)"
    }

    /// The network, with its kind, name, and cost.
    var network: String {
        switch report.network?.value {
        case nil: return "unknown"
        case "none": return "none"
        case "portal": return "login required"
        default: break
        }
        let kind = report.linkKind?.value.flatMap { $0 == "unknown" || $0 == "other" ? nil : $0 }
        let name = report.connection?.value.map { " \u{201C}\($0)\u{201D}" } ?? ""
        let cost =
            switch report.metered?.value {
            case "yes": "metered"
            case "no": "unmetered"
            case "guessYes": "probably metered"
            case "guessNo": "probably unmetered"
            default: "metered: unknown"
            }
        return "\(kind.map { Self.linkNames[$0] ?? $0 } ?? "unknown kind of network")\(name), \(cost)"
            + (report.roaming?.value == "yes" ? ", roaming" : "")
    }

    /// The names of the kinds of network for users, by the raw value of `LinkKind`.
    private static let linkNames = [
        "ethernet": "Ethernet", "wifi": "Wi-Fi", "cellular": "cellular", "bluetooth": "Bluetooth",
        "usb-tether": "USB tethering",
    ]

    /// Returns a description of the hold, or `nil` if there is none.
    static func hold(_ hold: HoldStatus) -> String? {
        guard let reason = hold.reason else { return nil }
        return reason.isEmpty ? end(of: hold) : "\(reason), \(end(of: hold))"
    }

    /// Returns the end of a hold as a phrase: `until 17:13`.
    static func end(of hold: HoldStatus) -> String {
        hold.until.map { "until \(time($0))" } ?? "until 'transferctl release'"
    }

    /// Formats a date in local time. The day is included unless the date is today.
    static func time(_ wall: WallTime) -> String {
        let date = Date(timeIntervalSince1970: Double(wall.nanosecondsSinceEpoch) / 1e9)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = LocalClock().fixedZone(at: wall)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = formatter.timeZone
        formatter.dateFormat = calendar.isDateInToday(date) ? "HH:mm" : "EEE d MMM HH:mm"
        return formatter.string(from: date)
    }
}
