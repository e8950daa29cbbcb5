// SPDX-License-Identifier: Apache-2.0

/// The earliest date at which a transfer may begin.
public struct NotBeforeConstraint: Hashable, Sendable, Codable {
    /// The date.
    public var date: WallTime

    /// Not before `date`.
    public init(_ date: WallTime) { self.date = date }

    /// Says whether the date has come, and when it will.
    public func verdict(at now: Moment, submitted: WallTime) -> Verdict {
        guard now.wall < date else { return .run(relyingOn: [], lookAgain: nil) }
        let since = Moment(instant: now.instant(of: submitted), wall: submitted)
        return .hold([Hold(.notBefore(date), since: since)], lookAgain: now.instant(of: date))
    }
}
