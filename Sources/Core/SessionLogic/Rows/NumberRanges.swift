// SPDX-License-Identifier: Apache-2.0

/// A set of integers, stored as ranges. Ten thousand consecutive numbers take as much space as one number.
///
/// The set is encoded as pairs of a range's first number and the number after its last. The decoder also reads the
/// single numbers that earlier versions wrote.
package struct NumberRanges: Hashable, Sendable {
    private var numbers = RangeSet<Int>()

    /// Creates an empty set.
    package init() {}

    /// The number of elements. Takes time linear in the number of ranges.
    package var count: Int { numbers.ranges.reduce(0) { $0 + $1.count } }

    package func contains(_ number: Int) -> Bool { numbers.contains(number) }

    /// Adds a range of numbers. All of them must be higher than every number in the set.
    package mutating func append(_ range: Range<Int>) { numbers.insert(contentsOf: range) }

    /// Removes a number and returns whether the set contained it.
    package mutating func remove(_ number: Int) -> Bool {
        guard numbers.contains(number) else { return false }
        numbers.remove(contentsOf: number..<number + 1)
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
            guard pair.count == 2, pair[0] < pair[1], (numbers.ranges.last?.upperBound ?? .min) <= pair[0] else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\(pair) is not a range above the previous ranges")
            }
            append(pair[0]..<pair[1])
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(numbers.ranges.map { [$0.lowerBound, $0.upperBound] })
    }
}
