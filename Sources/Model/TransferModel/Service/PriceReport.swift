// SPDX-License-Identifier: Apache-2.0

/// A report on the price of energy.
package struct PriceReport: Hashable, Sendable, Codable {
    /// The price now, in the unit of the curve, or `nil` if it is unknown.
    package var now: Double?
    /// The date until which the price lasts, or `nil` if it is unknown.
    package var until: WallTime?
    /// The lowest price that is known from now on, or `nil` if none is known.
    package var lowest: Double?
    /// The date from which the lowest price holds, not before now.
    package var lowestFrom: WallTime?
    /// The date from which no price is known, or `nil` if the curve is empty.
    package var knownUntil: WallTime?
    /// The source of the curve, by the name shown to users.
    package var source: String?
    /// The date from which the curve has been the same.
    package var since: WallTime?

    /// Creates a report on a curve, or `nil` if there is no source of prices.
    ///
    /// - Parameters:
    ///   - fact: The curve.
    ///   - now: The date of the report.
    package init?(_ fact: Fact<PriceCurve?>, at now: WallTime) {
        guard let curve = fact.value else { return nil }
        (source, since, knownUntil) = (fact.source.displayName, fact.since.wall, curve.end)
        let coming = curve.segments[curve.index(endingAfter: now)...]
        if let first = coming.first, first.start <= now { (self.now, until) = (first.price, first.end) }
        if let least = coming.min(by: { $0.price < $1.price }) {
            (lowest, lowestFrom) = (least.price, max(least.start, now))
        }
    }
}
