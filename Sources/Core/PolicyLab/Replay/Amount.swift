// SPDX-License-Identifier: Apache-2.0

/// An amount of data, exact to 10⁻⁹ bytes: what a whole rate carries in whole nanoseconds.
///
/// So it makes no difference how time is cut to pieces, and no policy can beat the optimum by rounding.
struct Amount: Hashable, Comparable, Sendable {
    /// 10⁻⁹ bytes.
    var parts: Int128

    static let zero = Amount(parts: 0)

    init(parts: Int128) { self.parts = parts }

    init(bytes: Int64) { parts = Int128(bytes) * 1_000_000_000 }

    /// What comes in so many nanoseconds at a rate in bytes a second.
    init(rate: Int64, nanoseconds: Int64) {
        // Most rates and times fit a product of 64 bits.
        let (product, overflow) = rate.multipliedReportingOverflow(by: nanoseconds)
        parts = overflow ? Int128(rate) * Int128(nanoseconds) : Int128(product)
    }

    /// In bytes.
    var bytes: Double {
        // Whole bytes and the rest apart: as one number a large amount would lose its fraction, and a small one too.
        if let small = Int64(exactly: parts) {
            let (whole, rest) = small.quotientAndRemainder(dividingBy: 1_000_000_000)
            return Double(whole) + Double(rest) / 1e9
        }
        let (whole, rest) = parts.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(whole) + Double(rest) / 1e9
    }

    /// In whole bytes, cut.
    var wholeBytes: Int64 {
        if let small = Int64(exactly: parts) { return small / 1_000_000_000 }
        return Int64(clamping: parts / 1_000_000_000)
    }

    /// How many nanoseconds it takes at a rate, rounded up; nil where none comes, or not in three centuries.
    func nanoseconds(at rate: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        if let small = Int64(exactly: parts) {
            let (quotient, remainder) = small.quotientAndRemainder(dividingBy: rate)
            return quotient + (remainder > 0 ? 1 : 0)
        }
        let (quotient, remainder) = parts.quotientAndRemainder(dividingBy: Int128(rate))
        return Int64(exactly: quotient + (remainder > 0 ? 1 : 0))
    }

    static func < (left: Amount, right: Amount) -> Bool { left.parts < right.parts }

    static func + (left: Amount, right: Amount) -> Amount { Amount(parts: left.parts + right.parts) }

    static func - (left: Amount, right: Amount) -> Amount { Amount(parts: left.parts - right.parts) }

    static func += (left: inout Amount, right: Amount) { left.parts += right.parts }

    static func -= (left: inout Amount, right: Amount) { left.parts -= right.parts }
}
