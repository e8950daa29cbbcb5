// SPDX-License-Identifier: Apache-2.0

/// The set of present bytes of a file, as ordered ranges that neither overlap nor adjoin.
///
/// The cost of every call is linear in the number of ranges, which is about the number of connections.
package struct ByteRanges: Hashable, Sendable {
    package private(set) var ranges: [Range<Int64>] = []
    /// The total number of bytes.
    package private(set) var count: Int64 = 0

    package init(_ ranges: [Range<Int64>] = []) {
        for range in ranges { insert(range) }
    }

    /// The number of bytes from the beginning to the first gap.
    package var prefix: Int64 { ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0 }

    /// The end of the last range.
    package var end: Int64 { ranges.last?.upperBound ?? 0 }

    /// The ranges after the first gap.
    package var beyondPrefix: [Range<Int64>] { prefix > 0 ? Array(ranges.dropFirst()) : ranges }

    /// Returns the missing ranges of a file of the given size.
    package func gaps(upTo total: Int64) -> [Range<Int64>] {
        var gaps: [Range<Int64>] = []
        var position: Int64 = 0
        for range in ranges {
            if range.lowerBound > position { gaps.append(position..<min(range.lowerBound, max(position, total))) }
            position = range.upperBound
        }
        if position < total { gaps.append(position..<total) }
        return gaps.filter { !$0.isEmpty }
    }

    package mutating func insert(_ new: Range<Int64>) {
        guard !new.isEmpty else { return }
        var merged = new
        // Includes the ranges that only adjoin the new range.
        let first = ranges.firstIndex { $0.upperBound >= new.lowerBound } ?? ranges.endIndex
        var last = first
        while last < ranges.endIndex, ranges[last].lowerBound <= new.upperBound {
            merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
            count -= Int64(ranges[last].count)
            last += 1
        }
        count += Int64(merged.count)
        if last == first + 1 {
            ranges[first] = merged
        } else {
            ranges.replaceSubrange(first..<last, with: [merged])
        }
    }

    package mutating func remove(_ old: Range<Int64>) {
        guard !old.isEmpty else { return }
        let rest = ranges.flatMap { range -> [Range<Int64>] in
            guard range.overlaps(old) else { return [range] }
            return [
                range.lowerBound..<max(range.lowerBound, min(old.lowerBound, range.upperBound)),
                min(range.upperBound, max(old.upperBound, range.lowerBound))..<range.upperBound,
            ]
        }
        self = ByteRanges(rest)
    }
}
