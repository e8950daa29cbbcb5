// SPDX-License-Identifier: Apache-2.0
public import TransferModel

extension NotBeforeConstraint {
    /// Returns permission to run if the earliest start date has come; otherwise, a wait until that date.
    public func verdict(at now: ClockReading, submitted: WallTime) -> Verdict {
        guard now.wall < date else { return .run(relyingOn: [], reevaluateAt: nil) }
        let since = ClockReading(instant: now.instant(of: submitted), wall: submitted)
        return .wait([WaitReason(.notBefore(date), since: since)], reevaluateAt: now.instant(of: date))
    }
}
