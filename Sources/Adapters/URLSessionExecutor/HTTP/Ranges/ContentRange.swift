// SPDX-License-Identifier: Apache-2.0

/// The value of a `Content-Range` field in bytes (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    /// The first and the last byte; nil in the answer 416.
    var bytes: ClosedRange<Int64>?
    /// The size of the whole; nil for `*`.
    var total: Int64?

    /// Reads `bytes 0-99/200`, `bytes 0-99/*` and `bytes */200`; nil for anything else.
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

    /// Whether the whole is said to have more bytes than any file has.
    var hasImpossibleTotal: Bool { total.map { $0 > ResponseHead.largestLength } ?? false }

    /// A number; one that is too large to be held is the largest there is.
    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int64(text) ?? .max
    }
}
