// SPDX-License-Identifier: Apache-2.0

/// The number of bytes transferred in excess of a rate. The debt is paid off as time passes.
struct RateDebt: Hashable, Sendable {
    /// The longest idle time that may be caught up, in nanoseconds.
    ///
    /// A late wakeup or a short pause of the server can be caught up; a long pause cannot.
    static let longestCredit: UInt64 = 50_000_000
    /// The number of bytes that are not yet paid off. Negative if there is credit.
    private(set) var debt: Int64 = 0
    /// The fraction of a byte left over from the last call, in billionths. Rounding down on each call would starve a
    /// slow bucket.
    private var remainder: UInt64 = 0
    private var paid: UInt64?

    /// Pays off the bytes that `bytesPerSecond` allows for the time since the last call.
    mutating func update(now: UInt64, bytesPerSecond: Int64) {
        defer { paid = max(now, paid ?? now) }
        guard let paid, now > paid else { return }
        let rate = UInt64(max(1, bytesPerSecond))
        // An hour pays off every debt that matters and cannot overflow.
        let elapsed = min(now - paid, 3600 * 1_000_000_000)
        let (high, low) = rate.multipliedFullWidth(by: elapsed)
        let (bytes, rest) = UInt64(1_000_000_000).dividingFullWidth((min(high, 999_999_999), low))
        let (sum, carry) = (remainder + rest).quotientAndRemainder(dividingBy: 1_000_000_000)
        remainder = carry
        debt = debt.subtractingSaturated(Int64(clamping: bytes &+ sum))
        let credit = Int64(clamping: rate / (1_000_000_000 / Self.longestCredit))
        if debt < -credit { debt = -credit }
    }

    mutating func record(_ bytes: Int64) { debt = debt.addingSaturated(max(0, bytes)) }

    /// Returns the time until the debt is paid off, in nanoseconds. Returns 0 if there is no debt.
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
