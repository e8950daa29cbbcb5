// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Prices with the times at which they became known, as a file states them.
///
/// A row without a time of its own was always known. Where rows overlap, the row that was made last counts.
///
/// ```swift
/// let forecasts = try PriceForecasts(csv: "start,end,price\n1700000000,1700003600,0.2\n", file: "prices.csv")
/// let curve = forecasts.curve(knownAt: now)
/// ```
public struct PriceForecasts: Hashable, Sendable {
    /// A price for a period.
    ///
    /// ```swift
    /// let night = PriceForecasts.Row(start: midnight, end: morning, price: 0.12, made: noon)
    /// ```
    public struct Row: Hashable, Sendable {
        /// The start of the period.
        public var start: WallTime
        /// The end of the period, after `start`.
        public var end: WallTime
        /// The price, a finite number. Lower is better.
        public var price: Double
        /// The date from which the price is known, or `nil` if it was always known.
        public var made: WallTime?

        /// Creates a price for a period.
        public init(start: WallTime, end: WallTime, price: Double, made: WallTime? = nil) {
            self.start = start
            self.end = end
            self.price = price
            self.made = made
        }
    }

    /// The rows in the order of the file.
    public let rows: [Row]

    /// Creates forecasts from rows. A row that is empty or has no finite price is left out.
    public init(rows: [Row]) { self.rows = rows.filter { $0.start < $0.end && $0.price.isFinite } }

    /// The dates at which rows become known, each once, in chronological order.
    public var revisions: [WallTime] { Array(Set(rows.compactMap(\.made))).sorted() }

    /// The prices by the last row for each date: the prices that came true.
    public var settled: PriceCurve { curve { _ in true } }

    /// Returns the prices that are known at a date. Takes time in proportion to the number of rows, times the number of
    /// rows that overlap.
    public func curve(knownAt date: WallTime) -> PriceCurve { curve { $0.made.map { $0 <= date } ?? true } }

    private func curve(where isKnown: (Row) -> Bool) -> PriceCurve {
        let known = rows.filter(isKnown).enumerated().sorted {
            ($0.element.start, $0.offset) < ($1.element.start, $1.offset)
        }
        let edges = Set(known.flatMap { [$0.element.start, $0.element.end] }).sorted()
        var segments: [PriceCurve.Segment] = []
        var active: [(offset: Int, element: Row)] = []
        var next = 0
        for (start, end) in zip(edges, edges.dropFirst()) {
            active.removeAll { $0.element.end <= start }
            while next < known.count, known[next].element.start <= start {
                active.append(known[next])
                next += 1
            }
            // Of rows that were made at the same time, the last in the file counts.
            let row = active.max { ($0.element.age, $0.offset) < ($1.element.age, $1.offset) }
            if let row { segments.append(.init(start: start, end: end, price: row.element.price)) }
        }
        return PriceCurve(segments: segments)
    }
}

extension PriceForecasts.Row {
    /// The time at which the price was made, in nanoseconds. A row that was always known is the oldest.
    var age: Int64 { made?.nanosecondsSinceEpoch ?? .min }
}
