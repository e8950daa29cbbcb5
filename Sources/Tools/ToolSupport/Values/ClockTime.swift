// SPDX-License-Identifier: Apache-2.0

/// A parser for times of day: `18:00`, `18:00:30`, `6pm`, `6:30pm`, and `24:00` for the end of the day.
package struct ClockTime: Hashable {
    /// The time since midnight, in seconds: 0 to 86,400.
    package private(set) var seconds = 0
    /// A Boolean value that indicates whether the text cannot be meant as a duration, as `1:30` can.
    package private(set) var isUnmistakable = true

    /// Creates midnight.
    package init() {}

    /// Parses `text`. Returns `nil` if the text is not a time of day.
    package init?(_ text: String) {
        let half = ["am", "pm"].firstIndex { text.lowercased().hasSuffix($0) }
        let parts = text.dropLast(half == nil ? 0 : 2).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 3, half != nil || parts.count > 1, (1...2).contains(parts[0].count),
            parts.dropFirst().allSatisfy({ $0.count == 2 }),
            parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } })
        else { return nil }
        var numbers = parts.compactMap { Int($0) } + [0, 0]
        if let half {
            guard (1...12).contains(numbers[0]) else { return nil }
            numbers[0] = numbers[0] % 12 + half * 12
        }
        seconds = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
        isUnmistakable = half != nil || parts[0].count == 2
        guard numbers[1] < 60, numbers[2] < 60, seconds <= 86_400 else { return nil }
    }
}
