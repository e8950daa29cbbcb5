// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension NotBeforeConstraint {
    /// Returns whether the earliest start date has come. If not, the date is the next re-evaluation.
    public func verdict(at now: Moment, submitted: WallTime) -> Verdict {
        guard now.wall < date else { return .run(relyingOn: [], lookAgain: nil) }
        let since = Moment(instant: now.instant(of: submitted), wall: submitted)
        return .hold([Hold(.notBefore(date), since: since)], lookAgain: now.instant(of: date))
    }
}
