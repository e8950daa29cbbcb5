// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import ToolSupport
import TransferModel

/// A parser for times: RFC 3339, a span from now such as `2h` or `+2h`, or a date of ``DateExpression``, such as
/// `tomorrow 18:00`.
struct TimeExpression {
    /// The parsed time.
    let date: WallTime

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` if the text is not a time, or if the time has passed and `allowsPast` is false.
    init(_ text: String, option: String, now: WallTime, allowsPast: Bool = false, clock: LocalClock = LocalClock())
        throws
    {
        let read: WallTime?
        do {
            read = try Self.read(text, now: now, clock: clock)
        } catch let error as UsageError {
            throw UsageError("not a valid time: --\(option) '\(text)': \(error)")
        }
        guard let date = read else {
            throw UsageError(
                "not a valid time: --\(option) '\(text)'; use 2h (s, m, h, d, w), 18:00 or 6pm (the next occurrence), tonight, "
                    + "tomorrow 18:00, Thu 18:00, 2026-12-24 18:00, or 2026-12-24T18:00:00Z")
        }
        guard date > now || allowsPast else {
            throw UsageError("--\(option) '\(text)' has passed; use a time in the future")
        }
        self.date = date
    }

    private static func read(_ text: String, now: WallTime, clock: LocalClock) throws -> WallTime? {
        let isSpan = text.hasPrefix("+")
        // A span without a sign needs a unit.
        if isSpan || text.first?.isNumber == true && text.last?.isLetter == true,
            let span = DurationExpression(String(isSpan ? text.dropFirst() : text[...]))
        {
            return now.advanced(by: span.duration)
        }
        guard !isSpan else { return nil }
        for options: ISO8601DateFormatter.Options in [
            [.withInternetDateTime], [.withInternetDateTime, .withFractionalSeconds],
        ] {
            let formatter = ISO8601DateFormatter()
            formatter.formatOptions = options
            guard let date = formatter.date(from: text) else { continue }
            let seconds = date.timeIntervalSince1970
            guard seconds.magnitude < 9e9 else { return nil }
            return WallTime(nanosecondsSinceEpoch: Int64(seconds * 1e9))
        }
        return try DateExpression(text, now: now, clock: clock).date
    }
}
