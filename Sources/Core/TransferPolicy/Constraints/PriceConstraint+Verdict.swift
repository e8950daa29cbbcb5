// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension PriceConstraint {
    /// Returns permission to run while the price is below the limit; otherwise, a wait. An unknown price is not below
    /// the limit. The re-evaluation is at the next price on the other side of the limit.
    public func verdict(at now: ClockReading, under conditions: Conditions) -> Verdict {
        let fact = conditions.priceCurve
        guard let curve = fact.value, let end = curve.end else {
            return .wait([reason(.priceUnknown(curveEnd: nil), fact, now)], reevaluateAt: nil)
        }
        let change = change(in: curve, after: now.wall)
        let reevaluation = change.map(now.instant(of:))
        guard let price = curve.price(at: now.wall) else {
            return .wait([reason(.priceUnknown(curveEnd: end), fact, now)], reevaluateAt: reevaluation)
        }
        if price < below { return .run(relyingOn: [], reevaluateAt: reevaluation) }
        return .wait(
            [reason(.price(price, limit: below, until: change, knownUntil: end), fact, now)],
            reevaluateAt: reevaluation)
    }

    private func reason(_ reason: Reason, _ fact: Fact<PriceCurve?>, _ now: ClockReading) -> WaitReason {
        WaitReason(reason, since: now, source: fact.source, confidence: fact.confidence)
    }

    /// Returns the first date after `date` at which the price is below the limit, if it is not below it at `date`, or
    /// the other way round. `nil` if no such date is known.
    private func change(in curve: PriceCurve, after date: WallTime) -> WallTime? {
        let isBelow = curve.price(at: date).map { $0 < below } ?? false
        var end = date
        for segment in curve.segments[curve.index(endingAfter: date)...] {
            // In a gap between two segments, the price is unknown.
            if isBelow, segment.start > end { return end }
            if segment.price < below {
                if !isBelow, segment.start > date { return segment.start }
            } else if isBelow {
                return segment.start
            }
            end = segment.end
        }
        return isBelow ? end : nil
    }
}
