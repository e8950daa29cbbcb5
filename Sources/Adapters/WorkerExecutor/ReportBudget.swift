// SPDX-License-Identifier: Apache-2.0

/// Bounds how many reports of an attempt are passed on, since a hostile worker can make them faster than they are read.
///
/// Reports beyond the bound are dropped: progress is told again, and the end says what was kept.
struct ReportBudget: Sendable {
    /// Reports at once, and a second from then on; an attempt makes some ten a second.
    private static let most = 4096
    private static let perSecond: UInt64 = 1000

    private var left = Self.most
    private var filled: UInt64 = 0

    /// Whether one more is passed on, by a clock in nanoseconds that is never set.
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
