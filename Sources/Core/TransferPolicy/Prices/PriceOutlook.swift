// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The known prices of a period, prepared for sums over parts of the period.
///
/// Time of unknown price counts with the highest known price, so that it never attracts a transfer. Creation takes one
/// pass over the period's segments, and a sum takes a binary search.
struct PriceOutlook {
    /// A part of the period with one known price. Times are in seconds from the start of the period.
    struct Piece {
        var start: Double
        var end: Double
        var price: Double
    }

    /// The known parts in chronological order.
    let pieces: [Piece]
    /// The length of the period in seconds.
    let length: Double
    private let highest: Double
    /// The difference to the highest price, summed over all pieces before each piece.
    private let savings: [Double]

    /// Prepares the prices from one date to another.
    init(_ curve: PriceCurve, from start: WallTime, to end: WallTime) {
        length = max(0, Self.seconds(from: start, to: end))
        var pieces: [Piece] = []
        for segment in curve.segments[curve.index(endingAfter: start)...] {
            guard segment.start < end else { break }
            pieces.append(
                Piece(
                    start: max(0, Self.seconds(from: start, to: segment.start)),
                    end: min(length, Self.seconds(from: start, to: segment.end)), price: segment.price))
        }
        highest = pieces.map(\.price).max() ?? 0
        var (sum, savings): (Double, [Double]) = (0, [])
        for piece in pieces {
            savings.append(sum)
            sum += (highest - piece.price) * (piece.end - piece.start)
        }
        (self.pieces, self.savings) = (pieces, savings)
    }

    private static func seconds(from start: WallTime, to end: WallTime) -> Double {
        Double(start.duration(to: end).wholeNanoseconds) / 1e9
    }

    /// The price at the start of the period, or `nil` if it is unknown.
    var priceNow: Double? { pieces.first.flatMap { $0.start <= 0 ? $0.price : nil } }

    /// The error of a sum of prices, which must not start a wait: a thousand times the error of the sum of all pieces.
    var tolerance: Double { 1e-12 * length * pieces.reduce(1e-9) { max($0, $1.price.magnitude) } }

    /// Returns the sum of price times seconds from one time to another.
    func cost(from start: Double, to end: Double) -> Double {
        highest * (end - start) - (saving(until: end) - saving(until: start))
    }

    private func saving(until time: Double) -> Double {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].start < time { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        let piece = pieces[low - 1]
        return savings[low - 1] + (highest - piece.price) * (min(time, piece.end) - piece.start)
    }

    /// Returns the times at which an uninterrupted run of some seconds can be cheapest: now, and each time at which the
    /// run begins or ends together with a piece. All runs end within the period. In chronological order.
    func starts(ofRun seconds: Double) -> [Double] {
        let latest = length - seconds
        var starts = [0.0]
        for piece in pieces {
            for start in [piece.start, piece.end - seconds] where start > 0 && start <= latest { starts.append(start) }
        }
        return starts.sorted()
    }

    /// Returns the times in which an interruptible run of some seconds is cheapest: the cheapest pieces, the earlier of
    /// equal ones first, until they are long enough. In chronological order.
    func cheapest(ofTotal seconds: Double) -> [Piece] {
        var (left, chosen): (Double, [Piece]) = (seconds, [])
        for piece in pieces.sorted(by: { ($0.price, $0.start) < ($1.price, $1.start) }) where left > 0 {
            chosen.append(piece)
            left -= piece.end - piece.start
        }
        return chosen.sorted { $0.start < $1.start }
    }
}
