// SPDX-License-Identifier: Apache-2.0

/// The date by which a transfer is to be done. Policies relax toward it; past it a transfer goes on, flagged late.
public struct DeadlineConstraint: Hashable, Sendable, Codable {
    /// The date.
    public var date: WallTime

    /// To be done by `date`.
    public init(_ date: WallTime) { self.date = date }

    /// How much of the time to the deadline is gone, 0…1, counted from the later of submission and not-before.
    ///
    /// A deadline that does not lie after its start counts as gone.
    public func elapsedShare(at now: WallTime, submitted: WallTime, notBefore: WallTime?) -> Double {
        let start = max(submitted, notBefore ?? submitted)
        guard start < date else { return 1 }
        let (span, gone) = (start.nanoseconds(to: date), start.nanoseconds(to: now))
        return min(1, max(0, Double(gone) / Double(span)))
    }

    /// The date at which that `share` (0…1) of the time to the deadline is gone.
    public func date(atShare share: Double, submitted: WallTime, notBefore: WallTime?) -> WallTime {
        let start = max(submitted, notBefore ?? submitted)
        guard start < date else { return start }
        let span = start.nanoseconds(to: date)
        let part = Double(span) * min(1, max(0, share))
        guard part < Double(span) else { return date }
        // Rounded up, so that at this date the share is not a nanosecond short of what was asked; by hand, because
        // `rounded(.up)` would need the mathematics library, which Core does not link.
        let whole = Int64(part)
        let ahead = Double(whole) < part ? whole + 1 : whole
        return WallTime(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch.addingSaturating(ahead))
    }
}
