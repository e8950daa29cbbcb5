// SPDX-License-Identifier: Apache-2.0

/// The date by which a transfer should finish.
///
/// Policies require less as the date approaches. After the date, the transfer continues and is marked late.
///
/// ```swift
/// let deadline = DeadlineConstraint(now.advanced(by: .seconds(86_400)))
/// ```
public struct DeadlineConstraint: Hashable, Sendable, Codable {
    /// The date of the deadline.
    public var date: WallTime

    /// Creates a deadline at `date`.
    public init(_ date: WallTime) { self.date = date }

    /// Returns the elapsed share of the time to the deadline, 0…1.
    ///
    /// The time begins at submission or at `notBefore`, whichever is later. If the deadline is not after that start,
    /// the share is 1.
    public func elapsedShare(at now: WallTime, submitted: WallTime, notBefore: WallTime?) -> Double {
        let start = max(submitted, notBefore ?? submitted)
        guard start < date else { return 1 }
        let (span, gone) = (start.nanoseconds(to: date), start.nanoseconds(to: now))
        return min(1, max(0, Double(gone) / Double(span)))
    }

    /// Returns the date on which a `share` (0…1) of the time to the deadline has elapsed.
    public func date(atShare share: Double, submitted: WallTime, notBefore: WallTime?) -> WallTime {
        let start = max(submitted, notBefore ?? submitted)
        guard start < date else { return start }
        let span = start.nanoseconds(to: date)
        let part = Double(span) * min(1, max(0, share))
        guard part < Double(span) else { return date }
        // Rounded up, so that the share at this date is not a nanosecond short. Written by hand, because
        // `rounded(.up)` requires the mathematics library, which Core does not link.
        let whole = Int64(part)
        let ahead = Double(whole) < part ? whole + 1 : whole
        return WallTime(nanosecondsSinceEpoch: start.nanosecondsSinceEpoch.addingSaturating(ahead))
    }
}
