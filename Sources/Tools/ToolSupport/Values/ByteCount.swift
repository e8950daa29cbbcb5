// SPDX-License-Identifier: Apache-2.0

/// A parser for byte counts: `500`, `64K`, `1.5M`, `2G`. One K is 1024 bytes, as in curl and wget.
package struct ByteCount {
    /// The permitted forms, for error messages.
    package static let forms = "500, 64K, 1.5M, or 2G"

    /// The number of bytes.
    package let bytes: Int64

    /// Parses `text`. Returns `nil` if the text is not a number of bytes, is negative, or exceeds 4.6 × 10¹⁸.
    package init?(_ text: String) {
        var digits = Substring(text)
        var scale = 1.0
        for suffix in ["iB", "B", "b"] where digits.hasSuffix(suffix) {
            digits = digits.dropLast(suffix.count)
            break
        }
        if let unit = digits.last, let exponent = ["K", "M", "G", "T"].firstIndex(of: unit.uppercased()) {
            for _ in 0...exponent { scale *= 1024 }
            digits = digits.dropLast()
        }
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let number = Double(digits), number * scale < 4.6e18
        else { return nil }
        bytes = Int64(number * scale)
    }

    /// Parses the value of an option.
    ///
    /// - Throws: `UsageError` that names the option and the expected form.
    package init(_ text: String, option: String) throws {
        guard let count = ByteCount(text) else {
            throw UsageError("not a valid number of bytes: --\(option) '\(text)'; use \(Self.forms)")
        }
        self = count
    }
}
