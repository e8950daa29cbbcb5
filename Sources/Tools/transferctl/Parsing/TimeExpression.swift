// SPDX-License-Identifier: Apache-2.0
import Foundation
import ToolSupport
import TransferModel

/// A parser for times: RFC 3339, `HH:MM` (the next time that the clock shows it), or `+2h`.
struct TimeExpression {
    /// The parsed time.
    let date: WallTime

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` if the text is not a time, or if the time has passed.
    init(_ text: String, option: String, now: WallTime, calendar: Calendar = .current) throws {
        guard let date = try Self.read(text, now: now, calendar: calendar) else {
            throw UsageError(
                "not a valid time: --\(option) '\(text)'; use 2026-11-24T02:00:00Z, 02:00 (the next occurrence), or +2h "
                    + "(s, m, h, d)")
        }
        guard date > now else {
            throw UsageError("--\(option) '\(text)' has passed; use a time in the future")
        }
        self.date = date
    }

    private static func read(_ text: String, now: WallTime, calendar: Calendar) throws -> WallTime? {
        if text.hasPrefix("+") {
            return DurationExpression(String(text.dropFirst())).map { now.advanced(by: $0.duration) }
        }
        let clock = text.split(separator: ":", omittingEmptySubsequences: false)
        if clock.count == 2, clock.allSatisfy({ $0.count == 2 }), let hour = Int(clock[0]), let minute = Int(clock[1]) {
            guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
            let from = Date(timeIntervalSince1970: Double(now.nanosecondsSinceEpoch) / 1e9)
            let components = DateComponents(hour: hour, minute: minute, second: 0)
            // A time may be missing on the day on which clocks spring forward. The first instant after the gap is used.
            let next = calendar.nextDate(after: from, matching: components, matchingPolicy: .nextTime)
            return next.map { WallTime(secondsSinceEpoch: Int64($0.timeIntervalSince1970)) }
        }
        for options: ISO8601DateFormatter.Options in [
            [.withInternetDateTime], [.withInternetDateTime, .withFractionalSeconds],
        ] {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = options
            guard let date = formatter.date(from: text) else { continue }
            let seconds = date.timeIntervalSince1970
            guard abs(seconds) < 9e9 else { return nil }
            return WallTime(nanosecondsSinceEpoch: Int64(seconds * 1e9))
        }
        return nil
    }
}

/// A parser for durations: `90`, `90s`, `15m`, `2h`, `1d`.
struct DurationExpression {
    /// The parsed duration.
    let duration: Duration

    /// Parses `text`. Returns `nil` if the text is not a duration, is negative, or is longer than a century.
    init?(_ text: String) {
        var digits = text
        var scale = 1.0
        if let unit = text.last, let factor = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400][unit] {
            scale = factor
            digits.removeLast()
        }
        guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits),
            number * scale < 3.2e9
        else { return nil }
        duration = .nanoseconds(Int64(number * scale * 1e9))
    }
}
