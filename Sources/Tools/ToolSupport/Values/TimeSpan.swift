// SPDX-License-Identifier: Apache-2.0

/// A parser for durations: `90`, `90s`, `15m`, `2h`, `1d`, `1w`, and sums of them, such as `1h30min`.
package struct DurationExpression {
    /// The parsed duration.
    package let duration: Duration

    private static let units: [String: Double] = [
        "": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "hr": 3600, "d": 86_400, "day": 86_400, "days": 86_400,
        "w": 604_800, "week": 604_800, "weeks": 604_800,
    ]

    /// Parses `text`. Returns `nil` if the text is not a duration, is negative, or is longer than a century.
    package init?(_ text: String) {
        var rest = text[...]
        var seconds = 0.0
        var isFirst = true
        while isFirst || !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count).drop { $0 == " " }
            // Only a number that stands alone needs no unit.
            guard let number = Double(digits), let scale = Self.units[String(unit)],
                !unit.isEmpty || isFirst && rest.isEmpty
            else { return nil }
            seconds += number * scale
            isFirst = false
        }
        guard seconds < 3.2e9 else { return nil }
        duration = .nanoseconds(Int64(seconds * 1e9))
    }
}

/// A length of time as the value of an option, in the forms of ``DurationExpression``.
package struct TimeSpan {
    /// The length in seconds, 1 or more.
    package let seconds: Int64

    /// Parses `text`.
    ///
    /// - Parameter alternative: A further permitted value for the error message, such as `, or 0`.
    /// - Throws: `UsageError` that names the option and the expected form.
    package init(_ text: String, option: String, alternative: String = "") throws {
        guard let (seconds, rest) = DurationExpression(text)?.duration.components, seconds > 0, rest == 0 else {
            throw UsageError("not a valid duration: --\(option) '\(text)'; use 90s, 30m, 2h, or 1d\(alternative)")
        }
        self.seconds = seconds
    }
}
