// SPDX-License-Identifier: Apache-2.0

/// A set of numbers that is written as ranges: `1-3,7`.
struct NumberRanges: Codable, Equatable {
    /// The numbers in ascending order.
    private let numbers: [Int]

    init(_ numbers: [Int]) { self.numbers = Set(numbers).sorted() }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let ranges = try container.decode(String.self).split(separator: ",").map { word in
            let bounds = word.split(separator: "-").map { Int($0) ?? 0 }
            guard let first = bounds.first, let last = bounds.last, bounds.count <= 2, first > 0, first <= last,
                last <= ShardChoice.maximumCount
            else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "'\(word)' is not a range of parts")
            }
            return first...last
        }
        self.init(ranges.flatMap { Array($0) })
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(
            ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
                .joined(separator: ","))
    }

    private var ranges: [ClosedRange<Int>] {
        numbers.reduce(into: []) { ranges, number in
            if let last = ranges.last, last.upperBound + 1 == number {
                ranges[ranges.count - 1] = last.lowerBound...number
            } else {
                ranges.append(number...number)
            }
        }
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// Returns the first number that is also in another set; `nil` if there is none.
    func first(in other: NumberRanges) -> Int? { Set(numbers).intersection(other.numbers).min() }

    func union(_ other: NumberRanges) -> NumberRanges { NumberRanges(numbers + other.numbers) }

    /// Returns the numbers from 1 to `count` that are not in the set.
    func missing(upTo count: Int) -> NumberRanges { NumberRanges(Array(Set(1...max(1, count)).subtracting(numbers))) }

    /// Returns the numbers as parts of a count, at most twenty: `2/8, 3/8`.
    func text(of count: Int) -> String {
        numbers.prefix(20).map { "\($0)/\(count)" }.joined(separator: ", ") + (numbers.count > 20 ? ", …" : "")
    }
}
