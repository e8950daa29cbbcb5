// SPDX-License-Identifier: Apache-2.0

/// An amount of data, exact to 10⁻⁹ bytes. An integer rate over integer nanoseconds gives an exact amount.
///
/// Results do not depend on how time is divided, and no policy can beat the optimum through rounding.
struct Amount: Hashable, Comparable, Sendable {
    /// The amount in units of 10⁻⁹ bytes.
    var nanobytes: Int128

    static let zero = Amount(nanobytes: 0)

    init(nanobytes: Int128) { self.nanobytes = nanobytes }

    init(bytes: Int64) { nanobytes = Int128(bytes) * 1_000_000_000 }

    /// Creates the amount that arrives in a number of nanoseconds, at a rate in bytes per second.
    init(rate: Int64, nanoseconds: Int64) {
        // The product of most rates and times fits in 64 bits.
        let (product, overflow) = rate.multipliedReportingOverflow(by: nanoseconds)
        nanobytes = overflow ? Int128(rate) * Int128(nanoseconds) : Int128(product)
    }

    /// The amount in bytes.
    var bytes: Double {
        // Whole bytes and the rest are converted separately. In a single conversion, large amounts would lose their
        // fraction, and small ones too.
        if let small = Int64(exactly: nanobytes) {
            let (whole, rest) = small.quotientAndRemainder(dividingBy: 1_000_000_000)
            return Double(whole) + Double(rest) / 1e9
        }
        let (whole, rest) = nanobytes.quotientAndRemainder(dividingBy: 1_000_000_000)
        return Double(whole) + Double(rest) / 1e9
    }

    /// The number of whole bytes, rounded down.
    var wholeBytes: Int64 {
        if let small = Int64(exactly: nanobytes) { return small / 1_000_000_000 }
        return Int64(clamping: nanobytes / 1_000_000_000)
    }

    /// Returns the nanoseconds that the amount takes at a rate, rounded up. Returns `nil` if the rate is 0, or the
    /// time exceeds three centuries.
    func nanoseconds(at rate: Int64) -> Int64? {
        guard rate > 0 else { return nil }
        if let small = Int64(exactly: nanobytes) {
            let (quotient, remainder) = small.quotientAndRemainder(dividingBy: rate)
            return quotient + (remainder > 0 ? 1 : 0)
        }
        let (quotient, remainder) = nanobytes.quotientAndRemainder(dividingBy: Int128(rate))
        return Int64(exactly: quotient + (remainder > 0 ? 1 : 0))
    }

    static func < (left: Amount, right: Amount) -> Bool { left.nanobytes < right.nanobytes }

    static func + (left: Amount, right: Amount) -> Amount { Amount(nanobytes: left.nanobytes + right.nanobytes) }

    static func - (left: Amount, right: Amount) -> Amount { Amount(nanobytes: left.nanobytes - right.nanobytes) }

    static func += (left: inout Amount, right: Amount) { left.nanobytes += right.nanobytes }

    static func -= (left: inout Amount, right: Amount) { left.nanobytes -= right.nanobytes }
}
