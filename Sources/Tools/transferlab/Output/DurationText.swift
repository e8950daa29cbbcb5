// SPDX-License-Identifier: Apache-2.0

/// Durations in the notation of the command line: `90`, `90s`, `40m`, `1.5h`, `2d`.
enum DurationText {
    /// Returns a duration in seconds, above 0 and at most 4·10⁹.
    static func seconds(_ text: String, for option: String) throws -> Double {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        let number = unit == nil ? text : String(text.dropLast())
        guard let value = Double(number), value > 0, value.isFinite, value * (unit ?? 1) <= 4e9 else {
            throw UsageError("\(option): not a duration above 0: '\(text)'; examples: 90s, 40m, 1.5h, 2d")
        }
        return value * (unit ?? 1)
    }
}
