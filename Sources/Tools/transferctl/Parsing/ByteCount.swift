// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// Reads a number of bytes as people write it: `500`, `64K`, `1.5M`, `2G`, with 1024 to the K as curl and wget have it.
struct ByteCount {
    /// Bytes.
    let bytes: Int64

    /// Reads `text`; nil when it is no number of bytes, negative, or above 2^62.
    init?(_ text: String) {
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

    /// Reads the value of an option.
    ///
    /// - Throws: `UsageError` that names the option and what would be right.
    init(_ text: String, option: String) throws {
        guard let count = ByteCount(text) else {
            throw UsageError("--\(option) '\(text)' is no number of bytes; write 500, 64K, 1.5M or 2G")
        }
        self = count
    }
}
