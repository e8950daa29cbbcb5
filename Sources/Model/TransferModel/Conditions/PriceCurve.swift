// SPDX-License-Identifier: Apache-2.0

/// The prices of energy over time, as far as they are known: a tariff, or the carbon intensity of the grid.
///
/// Lower is better, and the unit is the unit of the file that the curve comes from. A price may be negative.
///
/// ```swift
/// let curve = PriceCurve(segments: [
///     .init(start: midnight, end: morning, price: 0.12), .init(start: morning, end: evening, price: 0.31),
/// ])
/// ```
public struct PriceCurve: Hashable, Sendable {
    /// A period with one price, from `start` up to but not including `end`.
    ///
    /// ```swift
    /// let night = PriceCurve.Segment(start: midnight, end: morning, price: 0.12)
    /// ```
    public struct Segment: Hashable, Sendable {
        /// The start of the period.
        public var start: WallTime
        /// The end of the period, after `start`.
        public var end: WallTime
        /// The price in the unit of the curve.
        public var price: Double

        /// Creates a period.
        public init(start: WallTime, end: WallTime, price: Double) {
            self.start = start
            self.end = end
            self.price = price
        }
    }

    /// The periods in chronological order, without overlaps. The price between two periods is unknown.
    public let segments: [Segment]

    /// Creates a curve. A period is left out if it is empty, has no finite price, or begins before the previous period
    /// ends. Adjacent periods with the same price become one.
    public init(segments: [Segment]) {
        var result: [Segment] = []
        for segment in segments where segment.start < segment.end && segment.price.isFinite {
            if let last = result.last {
                guard last.end <= segment.start else { continue }
                if last.end == segment.start, last.price == segment.price {
                    result[result.count - 1].end = segment.end
                    continue
                }
            }
            result.append(segment)
        }
        self.segments = result
    }

    /// Creates a curve with the same price at all times, from 1900 to 2100.
    public init(always price: Double) {
        self.init(segments: [
            Segment(
                start: WallTime(secondsSinceEpoch: -2_208_988_800), end: WallTime(secondsSinceEpoch: 4_102_444_800),
                price: price)
        ])
    }

    /// The date from which no price is known, or `nil` if the curve is empty.
    public var end: WallTime? { segments.last?.end }

    /// Returns the price at a date, or `nil` if the price is unknown. Takes a binary search.
    public func price(at date: WallTime) -> Double? {
        let index = index(endingAfter: date)
        return index < segments.count && segments[index].start <= date ? segments[index].price : nil
    }

    /// Returns the first date after `date` at which the price changes, becomes known, or becomes unknown. `nil` if there is
    /// no such date. Takes a binary search.
    public func nextChange(after date: WallTime) -> WallTime? {
        let index = index(endingAfter: date)
        guard index < segments.count else { return nil }
        return segments[index].start > date ? segments[index].start : segments[index].end
    }

    /// Returns the index of the first segment that ends after a date, or the number of segments.
    public func index(endingAfter date: WallTime) -> Int {
        var (low, high) = (0, segments.count)
        while low < high {
            let middle = (low + high) / 2
            if segments[middle].end <= date { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
