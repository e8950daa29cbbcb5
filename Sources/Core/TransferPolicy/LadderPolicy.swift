// SPDX-License-Identifier: Apache-2.0

/// Gives way step by step as the deadline comes near: AC and unmetered always, battery and unmetered once a share of
/// the time is gone, metered once a larger share is.
///
/// Without a deadline the first step is the only one.
public struct LadderPolicy: Policy, Hashable {
    /// The share of the time to the deadline after which battery will do, 0…1; infinite for never. Default 0.5.
    public var batteryShare: Double
    /// The share after which a metered network will do, 0…1; infinite for never. Default 0.75.
    public var meteredShare: Double
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(
        batteryShare: Double = 0.5, meteredShare: Double = 0.75,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.batteryShare = batteryShare
        self.meteredShare = meteredShare
        self.unknownMetered = unknownMetered
    }

    /// Says whether the step that is reached allows it.
    public func verdict(for subject: PolicySubject, under conditions: Conditions, at now: Moment) -> Verdict {
        let constraints = subject.traits.constraints
        func date(atShare share: Double) -> WallTime? {
            guard share.isFinite, let deadline = constraints.deadline else { return nil }
            return deadline.date(
                atShare: share, submitted: subject.traits.submitted, notBefore: constraints.notBefore?.date)
        }
        let (batteryDate, meteredDate) = (date(atShare: batteryShare), date(atShare: meteredShare))
        let power = PowerConstraint.ac.verdict(under: conditions)
        let price = subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered)
        return until(batteryDate, power, at: now).and(until(meteredDate, price, at: now))
    }

    /// `verdict` as long as `date` has not come; the date is only worth a look while the verdict is a hold.
    private func until(_ date: WallTime?, _ verdict: Verdict, at now: Moment) -> Verdict {
        guard let date else { return verdict }
        guard date > now.wall else { return .run(relyingOn: [], lookAgain: nil) }
        guard case .hold = verdict else { return verdict }
        return verdict.and(.run(relyingOn: [], lookAgain: now.instant(of: date)))
    }
}
