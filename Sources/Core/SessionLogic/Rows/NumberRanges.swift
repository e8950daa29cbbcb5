// SPDX-License-Identifier: Apache-2.0

/// A set of numbers as ranges: ten thousand numbers in a row take as much room as one.
///
/// Every call costs time linear in the number of ranges. Coded as pairs of the first number and the one after the last;
/// the single numbers that earlier versions wrote are read, too.
package struct NumberRanges: Hashable, Sendable {
    /// In ascending order; they neither meet nor overlap.
    private var ranges: [Range<Int>] = []
    /// The number of numbers.
    package private(set) var count = 0

    /// No numbers.
    package init() {}

    package func contains(_ number: Int) -> Bool { ranges.contains { $0.contains(number) } }

    /// Adds numbers that are all higher than every number so far.
    package mutating func append(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        count += range.count
        if let last = ranges.last, last.upperBound == range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
        } else {
            ranges.append(range)
        }
    }

    /// Removes a number and returns whether it was there.
    package mutating func remove(_ number: Int) -> Bool {
        guard let index = ranges.firstIndex(where: { $0.contains(number) }) else { return false }
        let range = ranges[index]
        let rest = [range.lowerBound..<number, number + 1..<range.upperBound].filter { !$0.isEmpty }
        ranges.replaceSubrange(index...index, with: rest)
        count -= 1
        return true
    }
}

extension NumberRanges: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let pairs: [[Int]]
        if let numbers = try? container.decode([Int].self) {
            pairs = numbers.sorted().map { [$0, $0 + 1] }
        } else {
            pairs = try container.decode([[Int]].self)
        }
        for pair in pairs {
            guard pair.count == 2, pair[0] < pair[1], (ranges.last?.upperBound ?? .min) <= pair[0] else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(pair) is no range of numbers above those before")
            }
            append(pair[0]..<pair[1])
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(ranges.map { [$0.lowerBound, $0.upperBound] })
    }
}
