// SPDX-License-Identifier: Apache-2.0

/// A limit on the reports of an attempt. A malicious worker can produce reports faster than they are read.
///
/// Reports beyond the limit are dropped. Later reports repeat the progress, and the end contains the final state.
struct ReportBudget: Sendable {
    /// The maximum number of reports in a burst. `perSecond` is the sustained rate; an attempt makes about ten
    /// reports per second.
    private static let most = 4096
    private static let perSecond: UInt64 = 1000

    private var left = Self.most
    private var filled: UInt64 = 0

    /// Returns whether another report may pass. `now` is in nanoseconds of a monotonic clock.
    mutating func take(now: UInt64) -> Bool {
        let more = (now - min(filled, now)) / (1_000_000_000 / Self.perSecond)
        if more > 0 {
            left = min(Self.most, left + Int(clamping: min(more, UInt64(Self.most))))
            filled = now
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }
}
