// SPDX-License-Identifier: Apache-2.0
import Foundation
import TransferModel

/// The text and JSON forms of a price.
enum PriceText {
    /// Returns a price in words, such as `0.31 until Thu 26 Nov 14:00:00; lowest 0.12 from Thu 26 Nov 22:00:00`.
    static func words(_ report: PriceReport?, localTime: LocalTimeRules) -> String {
        guard let report else { return "unknown: no valid price curve" }
        let end = report.knownUntil.map { localTime.dateAndTime(of: $0) }
        guard let lowest = report.lowest, let from = report.lowestFrom else {
            return "unknown" + (end.map { ": the price curve ended \($0)" } ?? ": the price curve is empty")
        }
        guard let now = report.now, let until = report.until else {
            return "unknown; lowest \(lowest) from \(localTime.dateAndTime(of: from))"
        }
        return "\(now) until \(localTime.dateAndTime(of: until))"
            + (lowest < now
                ? "; lowest \(lowest) from \(localTime.dateAndTime(of: from))" : "; no lower price is known")
    }

    /// Returns a price as members of a JSON object, with null for unknown values.
    static func fields(_ report: PriceReport?) -> [String: Any] {
        func date(_ time: WallTime?) -> Any { time.map { Formatting.rfc3339($0) as Any } ?? NSNull() }
        return [
            "now": report?.now.map { $0 as Any } ?? NSNull(), "until": date(report?.until),
            "lowest": report?.lowest.map { $0 as Any } ?? NSNull(), "lowestFrom": date(report?.lowestFrom),
            "knownUntil": date(report?.knownUntil),
        ]
    }
}

extension WallTime {
    /// Creates the date with a Foundation date.
    init(_ date: Date) { self.init(nanosecondsSinceEpoch: Int64(date.timeIntervalSince1970 * 1e3) * 1_000_000) }
}
