// SPDX-License-Identifier: Apache-2.0

/// What was taken beyond a rate, in bytes, paid off as time passes.
struct RateBucket: Hashable, Sendable {
    /// A late wake or a short pause of the server may be caught up, a long one not: so many nanoseconds.
    static let longestCredit: UInt64 = 50_000_000
    /// Bytes that are not paid for; below zero where there is credit.
    private(set) var debt: Int64 = 0
    /// Rounding down on each call would starve a slow bucket.
    private var remainder: UInt64 = 0
    private var paid: UInt64?

    /// Pays off what `bytesPerSecond` allows for the time since the last call.
    mutating func settle(now: UInt64, bytesPerSecond: Int64) {
        defer { paid = max(now, paid ?? now) }
        guard let paid, now > paid else { return }
        let rate = UInt64(max(1, bytesPerSecond))
        // An hour pays off everything that matters, and cannot overflow.
        let elapsed = min(now - paid, 3600 * 1_000_000_000)
        let (high, low) = rate.multipliedFullWidth(by: elapsed)
        let (bytes, rest) = UInt64(1_000_000_000).dividingFullWidth((min(high, 999_999_999), low))
        let (sum, carry) = (remainder + rest).quotientAndRemainder(dividingBy: 1_000_000_000)
        remainder = carry
        debt = debt.subtractingSaturated(Int64(clamping: bytes &+ sum))
        let credit = Int64(clamping: rate / (1_000_000_000 / Self.longestCredit))
        if debt < -credit { debt = -credit }
    }

    mutating func take(_ bytes: Int64) { debt = debt.addingSaturated(max(0, bytes)) }

    /// Nanoseconds until the debt is paid; 0 where there is none.
    func wait(bytesPerSecond: Int64) -> UInt64 {
        guard debt > 0 else { return 0 }
        let (high, low) = UInt64(debt).multipliedFullWidth(by: 1_000_000_000)
        let rate = UInt64(max(1, bytesPerSecond))
        guard high < rate else { return .max }
        return rate.dividingFullWidth((high, low)).quotient
    }
}

extension Int64 {
    func addingSaturated(_ other: Int64) -> Int64 {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other > 0 ? .max : .min) : sum
    }

    func subtractingSaturated(_ other: Int64) -> Int64 {
        let (difference, overflows) = subtractingReportingOverflow(other)
        return overflows ? (other > 0 ? .min : .max) : difference
    }
}
