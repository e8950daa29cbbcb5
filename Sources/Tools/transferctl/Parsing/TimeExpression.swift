// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import ToolSupport
import TransferModel

/// A parser for times: RFC 3339, `+2h`, or a date of ``DateExpression``, such as `tomorrow 18:00`.
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
                "not a valid time: --\(option) '\(text)'; use tomorrow 18:00, 2026-12-24 18:00, Thu 18:00, 18:00 (the next "
                    + "occurrence), 2026-12-24T18:00:00Z, or +2h (s, m, h, d, w)")
        }
        guard date > now || allowsPast else {
            throw UsageError("--\(option) '\(text)' has passed; use a time in the future")
        }
        self.date = date
    }

    private static func read(_ text: String, now: WallTime, clock: LocalClock) throws -> WallTime? {
        if text.hasPrefix("+") {
            return DurationExpression(String(text.dropFirst())).map { now.advanced(by: $0.duration) }
        }
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

/// A length of time as the value of an option, in the forms of ``DurationExpression``.
struct TimeSpan {
    /// The length in seconds, 1 or more.
    let seconds: Int64

    /// Parses `text`.
    ///
    /// - Parameter alternative: A further permitted value for the error message, such as `, or 0`.
    /// - Throws: `UsageError` that names the option and the expected form.
    init(_ text: String, option: String, alternative: String = "") throws {
        guard let (seconds, rest) = DurationExpression(text)?.duration.components, seconds > 0, rest == 0 else {
            throw UsageError("not a valid duration: --\(option) '\(text)'; use 90s, 30m, 2h, or 1d\(alternative)")
        }
        self.seconds = seconds
    }
}
