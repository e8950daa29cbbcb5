// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferPolicy

/// A set of moments in which a byte has the same cost: those of one cost class and one price.
struct CostLevel: Hashable, Sendable {
    var costClass: CostClass
    /// The price of energy, or `nil` without prices.
    var price: Double?
    /// The cost of 10⁶ bytes.
    var cost: Double
}

extension ReplaySettings {
    /// All levels, the cheapest first. Without prices, there is one level for each class.
    var levels: [CostLevel] {
        let prices = prices.map { Set($0.settled.segments.map(\.price)).sorted() }
        let levels = CostClass.allCases.flatMap { costClass in
            (prices.map { $0.map(Optional.some) } ?? [nil]).map { price in
                CostLevel(costClass: costClass, price: price, cost: cost(of: costClass, price: price ?? 0))
            }
        }
        return levels.sorted {
            ($0.cost, $0.costClass.rawValue, $0.price ?? 0) < ($1.cost, $1.costClass.rawValue, $1.price ?? 0)
        }
    }

    /// Returns the cost of 10⁶ bytes in a class at a price.
    private func cost(of costClass: CostClass, price: Double) -> Double {
        cost(of: costClass) + price * priceWeight
    }

    /// Returns the first date within a trace for which no price came true, or `nil` if the prices cover the trace, or if
    /// there are no prices.
    public func firstDateWithoutPrice(in trace: Trace) -> WallTime? {
        guard let curve = prices?.settled else { return nil }
        var date = trace.start
        for segment in curve.segments[curve.index(endingAfter: date)...] where date < trace.end {
            guard segment.start <= date else { return date }
            date = segment.end
        }
        return date < trace.end ? date : nil
    }
}

/// The prices of a replay: those that came true, and those that were known at each time.
struct ReplayedPrices {
    private let forecasts: PriceForecasts
    private let settled: PriceCurve
    /// The dates at which the price or the known prices change, in order.
    private let changes: [WallTime]
    private let revisions: Set<WallTime>
    private var next: Int

    /// Prepares the prices from a date on.
    init(_ forecasts: PriceForecasts, from start: WallTime) {
        self.forecasts = forecasts
        settled = forecasts.settled
        let revisions = Set(forecasts.revisions)
        changes = revisions.union(settled.segments.flatMap { [$0.start, $0.end] }).filter { $0 > start }.sorted()
        self.revisions = revisions
        next = 0
    }

    /// Returns the prices that are known at a date.
    func curve(at date: WallTime) -> PriceCurve { forecasts.curve(knownAt: date) }

    /// Returns the price that came true for a date. Zero for a date without a price.
    func price(at date: WallTime) -> Double { settled.price(at: date) ?? 0 }

    /// The date of the next change.
    var nextChange: WallTime? { next < changes.count ? changes[next] : nil }

    /// Passes all changes up to a date. Returns whether forecasts became known.
    mutating func pass(_ date: WallTime) -> Bool {
        var isRevised = false
        while let change = nextChange, change <= date {
            if revisions.contains(change) { isRevised = true }
            next += 1
        }
        return isRevised
    }
}
