// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// A parser for windows of the local week: `Mon-Fri 01:00-06:00`, `Sat,Sun 00:00-24:00`, `22:00-06:00` (every day).
///
/// Windows are separated by semicolons. A window whose end is not after its start extends into the next day.
package struct WindowExpression {
    /// The parsed windows.
    package let constraint: WindowConstraint

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` that names the wrong part and the expected form.
    package init(_ text: String) throws {
        var windows: [WindowConstraint.Window] = []
        for part in text.split(separator: ";", omittingEmptySubsequences: false) {
            let words = part.split(separator: " ")
            guard words.count == 1 || words.count == 2 else { throw Self.error(String(part)) }
            let days = words.count == 2 ? try Self.days(String(words[0])) : Array(0..<7)
            let times = try Self.times(String(words[words.count - 1]))
            for day in days {
                let start = Int64(day) * 86_400 + times.start
                let length = times.end > times.start ? times.end - times.start : times.end - times.start + 86_400
                windows.append(.init(start: start, end: start + length))
            }
        }
        constraint = WindowConstraint(windows: windows)
    }

    private static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    private static func error(_ part: String) -> UsageError {
        UsageError(
            "not a valid window: '\(part)'; use \"Mon-Fri 01:00-06:00\", \"Sat,Sun 00:00-24:00\", or \"22:00-06:00\""
        )
    }

    private static func days(_ text: String) throws -> [Int] {
        var days: [Int] = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            let indices = ends.compactMap { dayNames.firstIndex(of: $0) }
            guard indices.count == ends.count, (1...2).contains(ends.count) else { throw error(text) }
            let (first, last) = (indices[0], indices[indices.count - 1])
            // `Fri-Mon` wraps around the end of the week.
            days += (0...((last - first + 7) % 7)).map { (first + $0) % 7 }
        }
        return Array(Set(days)).sorted()
    }

    /// Parses the start and end of a window, in seconds of the day.
    private static func times(_ text: String) throws -> (start: Int64, end: Int64) {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard ends.count == 2, let start = ClockTime(ends[0])?.seconds, let end = ClockTime(ends[1])?.seconds,
            start < 86_400, start != end
        else { throw error(text) }
        return (Int64(start), Int64(end))
    }
}
