// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A device's days as rows of letters: power, network and sleep, with the transfers in a row above.
public enum TimelineText {
    /// An explanation of the letters, in one line.
    public static let legend =
        "power: A AC, b battery · network: w Wi-Fi, e wired, c metered, - none · z asleep · ? unknown · # transfer"

    /// Returns the rows, in blocks of one day. Each block begins at midnight UTC.
    ///
    /// - Parameters:
    ///   - trace: The conditions of the device.
    ///   - activity: The periods in which transfers ran.
    ///   - columns: The number of letters per day, at least 1. A letter of a condition stands for the middle of its
    ///     period. A transfer is marked if it falls anywhere in the period.
    public static func lines(_ trace: Trace, _ activity: [DeviceOutcome.Activity], columns: Int) -> [String] {
        let day: Int64 = 86_400_000_000_000
        var lines: [String] = []
        let first = trace.start.nanosecondsSinceEpoch
        // Rounds down to midnight, also before the epoch.
        var start = first - ((first % day) + day) % day
        while start < trace.end.nanosecondsSinceEpoch {
            let title = date(start / day)
            let bounds = (0...max(1, columns)).map { start + day / Int64(max(1, columns)) * Int64($0) }
            let middles = zip(bounds, bounds.dropFirst()).map { $0 + ($1 - $0) / 2 }
            let moved = zip(bounds, bounds.dropFirst()).map { from, to in
                activity.contains { $0.start.nanosecondsSinceEpoch < to && $0.end.nanosecondsSinceEpoch > from }
            }
            let blank = String(repeating: " ", count: title.count)
            lines.append("\(title)  \(String(moved.map { $0 ? "#" : " " }))")
            lines.append("\(blank)  \(String(middles.map { power(trace, at: $0) }))")
            lines.append("\(blank)  \(String(middles.map { network(trace, at: $0) }))")
            start += day
        }
        return lines.map { $0.trimmingEnd(" ") }
    }

    private static func power(_ trace: Trace, at nanos: Int64) -> Character {
        guard nanos >= trace.start.nanosecondsSinceEpoch, nanos < trace.end.nanosecondsSinceEpoch else { return " " }
        switch trace.segment(at: WallTime(nanosecondsSinceEpoch: nanos))?.power {
        case .ac: return "A"
        case .battery: return "b"
        case .unknown, nil: return "?"
        }
    }

    private static func network(_ trace: Trace, at nanos: Int64) -> Character {
        guard nanos >= trace.start.nanosecondsSinceEpoch, nanos < trace.end.nanosecondsSinceEpoch else { return " " }
        guard let segment = trace.segment(at: WallTime(nanosecondsSinceEpoch: nanos)) else { return "?" }
        if segment.isSuspended { return "z" }
        switch segment.network {
        case .none: return "-"
        case .unknown: return "?"
        case .wifi, .ethernet, .cell:
            return segment.isMetered ? "c" : segment.network == .ethernet ? "e" : "w"
        }
    }

    /// Returns the date of a day, counted from the epoch.
    static func date(_ day: Int64) -> String {
        let civil = CivilDate(daysSinceEpoch: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(civil.year)-\(two(Int(civil.month)))-\(two(Int(civil.day)))"
    }
}
