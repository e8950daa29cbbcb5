// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A device's days as rows of letters: power, network and sleep, with the transfers in a row above.
public enum TimelineText {
    /// An explanation of the letters, in one line.
    public static let legend =
        "power: A AC, b battery · network: w Wi-Fi, e wired, c metered, - none · z asleep · ? unknown · # transfer"

    private static let names = (transfers: "transfers", power: "power", network: "network")
    /// The width of the names at the start of each row. A date such as `2026-11-25` has the same length.
    private static let margin = 10

    /// Returns the rows, in blocks of one day. Each block begins at midnight UTC, with the date and an axis of the
    /// hours.
    ///
    /// - Parameters:
    ///   - trace: The conditions of the device.
    ///   - activity: The periods in which transfers ran.
    ///   - columns: The number of letters per day, at least 1. A letter of a condition stands for the middle of its
    ///     period. A transfer is marked if it falls anywhere in the period.
    public static func lines(_ trace: Trace, _ activity: [DeviceOutcome.Activity], columns: Int) -> [String] {
        let day: Int64 = 86_400_000_000_000
        let columns = max(1, columns)
        let axis = hours(columns: columns)
        var lines: [String] = []
        func add(_ name: String, _ letters: String) {
            let space = String(repeating: " ", count: max(0, margin - name.count) + 2)
            lines.append((name + space + letters).trimmingEnd(" "))
        }
        let first = trace.start.nanosecondsSinceEpoch
        // Rounds down to midnight, also before the epoch.
        var start = first - ((first % day) + day) % day
        while start < trace.end.nanosecondsSinceEpoch {
            let bounds = (0...columns).map { start + day / Int64(columns) * Int64($0) }
            let middles = zip(bounds, bounds.dropFirst()).map { $0 + ($1 - $0) / 2 }
            let moved = zip(bounds, bounds.dropFirst()).map { from, to in
                activity.contains { $0.start.nanosecondsSinceEpoch < to && $0.end.nanosecondsSinceEpoch > from }
            }
            add(date(start / day), axis)
            add(names.transfers, String(moved.map { $0 ? "#" : " " }))
            add(names.power, letters(trace, at: middles, power))
            add(names.network, letters(trace, at: middles, network))
            start += day
        }
        return lines
    }

    /// Returns the hours of a day above their columns, as many as fit: `00`, `03` and so on.
    private static func hours(columns: Int) -> String {
        // Each hour needs its two digits and a space.
        guard let step = [1, 2, 3, 4, 6, 8, 12].first(where: { columns * $0 / 24 >= 3 }) else { return "" }
        var text = ""
        for hour in stride(from: 0, to: 24, by: step) {
            text += String(repeating: " ", count: max(0, hour * columns / 24 - text.count))
            text += hour < 10 ? "0\(hour)" : "\(hour)"
        }
        return text
    }

    private static func letters(
        _ trace: Trace, at moments: [Int64], _ letter: (Trace.Segment) -> Character
    ) -> String {
        String(
            moments.map(WallTime.init(nanosecondsSinceEpoch:)).map { moment in
                moment < trace.start || moment >= trace.end ? " " : trace.segment(at: moment).map(letter) ?? "?"
            })
    }

    private static func power(_ segment: Trace.Segment) -> Character {
        switch segment.power {
        case .ac: "A"
        case .battery: "b"
        case .unknown: "?"
        }
    }

    private static func network(_ segment: Trace.Segment) -> Character {
        switch segment.networkState {
        case .free: segment.network == .ethernet ? "e" : "w"
        case .metered: "c"
        case .none: segment.isSuspended ? "z" : "-"
        case .unknown: "?"
        }
    }

    /// Returns the date of a day, counted from the epoch.
    static func date(_ day: Int64) -> String {
        let civil = CivilDate(daysSinceEpoch: day)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(civil.year)-\(two(Int(civil.month)))-\(two(Int(civil.day)))"
    }
}
