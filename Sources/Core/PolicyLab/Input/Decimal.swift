// SPDX-License-Identifier: Apache-2.0

/// Exact conversions between numbers and text.
enum Decimal {
    /// Returns a decimal number such as `-12.5`, multiplied by 10⁹. Digits beyond the ninth decimal place are
    /// dropped. Returns `nil` if the text is anything else or the result does not fit.
    static func nanos(_ text: String) -> Int64? {
        var (value, isNegative, wholeDigits): (Int64, Bool, Int) = (0, false, 0)
        // The number of digits after the decimal point; nil before the point.
        var fraction: Int?
        func shifted(_ value: Int64, _ digit: UInt8) -> Int64? {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(digit))
            return overflow || carry ? nil : sum
        }
        for (position, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-") where position == 0:
                isNegative = true
            case UInt8(ascii: ".") where fraction == nil && wholeDigits > 0:
                fraction = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if let count = fraction { fraction = count + 1 } else { wholeDigits += 1 }
                guard fraction ?? 0 <= 9 else { continue }
                guard let next = shifted(value, byte - UInt8(ascii: "0")) else { return nil }
                value = next
            default:
                return nil
            }
        }
        guard wholeDigits > 0, fraction != 0 else { return nil }
        for _ in min(9, fraction ?? 0)..<9 {
            guard let next = shifted(value, 0) else { return nil }
            value = next
        }
        return isNegative ? -value : value
    }

    /// Returns a whole number written as `12` or `12.0`; `nil` for any other text.
    static func whole(_ text: String) -> Int64? {
        if let value = Int64(text) { return text.hasPrefix("+") ? nil : value }
        guard let point = text.firstIndex(of: "."), text[point...].dropFirst().allSatisfy({ $0 == "0" }),
            text[point...].count > 1
        else { return nil }
        return Int64(text[..<point])
    }

    /// Returns nanoseconds as seconds in decimal notation, without trailing zeros.
    static func text(nanos: Int64) -> String {
        let (whole, part) = nanos.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let sign = nanos < 0 ? "-" : ""
        guard part > 0 else { return "\(sign)\(whole)" }
        let fraction = String(part)
        return "\(sign)\(whole).\(String(repeating: "0", count: 9 - fraction.count))\(fraction.trimmingEnd("0"))"
    }

    /// Returns a number with a fixed number of digits after the decimal point, rounded half away from zero.
    ///
    /// Written by hand, because Core has no formatting. A number that reaches 9·10¹⁵ when multiplied by 10^`digits` is
    /// written in Swift's own notation.
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return value.isNaN ? "-" : value < 0 ? "-inf" : "inf" }
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = (value.magnitude * scale).rounded(.toNearestOrAwayFromZero)
        guard scaled < 9e15 else { return "\(value)" }
        let (whole, part) = Int64(scaled).quotientAndRemainder(dividingBy: Int64(scale))
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard digits > 0 else { return "\(sign)\(whole)" }
        let fraction = String(part)
        return "\(sign)\(whole).\(String(repeating: "0", count: digits - fraction.count))\(fraction)"
    }
}
