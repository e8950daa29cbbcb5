// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Range` field in bytes (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    /// The first and the last byte of the range. `nil` in a 416 response.
    var bytes: ClosedRange<Int64>?
    /// The size of the whole file. `nil` for `*`.
    var total: Int64?

    /// Parses `bytes 0-99/200`, `bytes 0-99/*`, and `bytes */200`. Returns `nil` for any other text.
    init?(_ text: String) {
        let lower = text.lowercased()
        guard lower.hasPrefix("bytes") else { return nil }
        let rest = lower.dropFirst(5).filter { $0 != " " && $0 != "=" }
        let halves = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let size = Self.number(halves[1]) else { return nil }
            total = size
        }
        if halves[0] == "*" { return }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            last < total ?? .max
        else { return nil }
        bytes = first...last
    }

    /// A Boolean value that indicates whether the stated size is larger than any file.
    var hasImpossibleTotal: Bool { total.map { $0 > ResponseHead.largestLength } ?? false }

    /// Parses a number. A number that does not fit becomes `Int64.max`.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int64(text) ?? .max
    }
}
