// SPDX-License-Identifier: Apache-2.0

/// Numbers as files hold them, read exactly.
enum Decimal {
    /// Text such as `-12.5` times 10⁹, as a whole number; what is finer is cut. Nil for anything else, and for what does
    /// not fit.
    static func nanos(_ text: String) -> Int64? {
        var digits = text.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, parts.count == 1 || !parts[1].isEmpty,
            parts.joined().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        var value: Int64 = 0
        let fraction = parts.count > 1 ? Array(parts[1].prefix(9)) : []
        let zeros = Array(repeating: UInt8(ascii: "0"), count: 9 - fraction.count)
        for digit in Array(whole) + fraction + zeros {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            value = sum
        }
        return isNegative ? -value : value
    }

    /// A whole number as text such as `12` or `12.0`; nil for anything else.
    static func whole(_ text: String) -> Int64? {
        if let value = Int64(text) { return text.hasPrefix("+") ? nil : value }
        guard let point = text.firstIndex(of: "."), text[point...].dropFirst().allSatisfy({ $0 == "0" }),
            text[point...].count > 1
        else { return nil }
        return Int64(text[..<point])
    }

    /// Nanoseconds as seconds in text, without needless zeros.
    static func text(nanos: Int64) -> String {
        let (whole, part) = nanos.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
        let sign = nanos < 0 ? "-" : ""
        guard part > 0 else { return "\(sign)\(whole)" }
        var fraction = String(part)
        fraction = String(repeating: "0", count: 9 - fraction.count) + fraction
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(sign)\(whole).\(fraction)"
    }

    /// A number with so many digits after the point, the last one rounded half away from zero.
    ///
    /// By hand, for Core has no formatting; past 10¹⁵ the digits after the point are left out.
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
