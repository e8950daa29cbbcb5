// SPDX-License-Identifier: Apache-2.0

/// A limit on the reports of an attempt. A malicious worker can produce reports faster than they are read.
///
/// Reports beyond the limit are dropped. Later reports repeat the progress, and the end contains the final state.
struct ReportBudget: Sendable {
    /// The maximum number of reports in a burst. `perSecond` is the sustained rate; an attempt makes about ten
    /// reports per second.
    private static let maximumBurst = 4096
    private static let perSecond: UInt64 = 1000

    private var left = Self.maximumBurst
    private var filled: UInt64 = 0

    /// Counts a report. Returns `false` if the report exceeds the budget.
    ///
    /// - Parameter now: The current time in nanoseconds of a monotonic clock.
    mutating func accept(now: UInt64) -> Bool {
        let more = (now - min(filled, now)) / (1_000_000_000 / Self.perSecond)
        if more > 0 {
            left = min(Self.maximumBurst, left + Int(clamping: min(more, UInt64(Self.maximumBurst))))
            filled = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
