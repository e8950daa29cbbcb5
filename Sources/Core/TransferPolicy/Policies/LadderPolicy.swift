// SPDX-License-Identifier: Apache-2.0
public import TransferModel

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
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let power = PowerConstraint.ac.verdict(under: context.conditions)
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        return power.until(date(atShare: batteryShare, for: subject), in: context)
            .and(price.until(date(atShare: meteredShare, for: subject), in: context))
    }

    /// Nil for never.
    private func date(atShare share: Double, for subject: PolicySubject) -> WallTime? {
        let constraints = subject.traits.constraints
        guard share.isFinite, let deadline = constraints.deadline else { return nil }
        return deadline.date(
            atShare: share, submitted: subject.traits.submitted, notBefore: constraints.notBefore?.date)
    }

    static let entry = PolicyCatalog.Entry(
        name: "ladder", summary: "AC and unmetered; then battery, then metered will do as the deadline comes near",
        parameters: [
            .init(
                "bat", "share of the time to the deadline after which battery will do", default: 0.5,
                in: 0...Double.infinity),
            .init(
                "cell", "share of the time to the deadline after which metered will do", default: 0.75,
                in: 0...Double.infinity),
        ]
    ) { LadderPolicy(batteryShare: $0["bat"], meteredShare: $0["cell"]) }
}

/// Four stages: whether battery will do is one bit, whether a metered network will is another.
extension LadderPolicy: StagedPolicy {
    private static let (battery, metered) = (1, 2)

    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 4 : 1 }

    /// What will do by `now`.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        var stage = PolicyStage()
        for (bit, share) in [(Self.battery, batteryShare), (Self.metered, meteredShare)] {
            guard let date = date(atShare: share, for: subject) else { continue }
            if date <= now {
                stage.number |= bit
            } else {
                stage.until = min(stage.until ?? date, date)
            }
        }
        return stage
    }

    /// Says whether what a stage still asks for is there.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var verdict = Verdict.run(relyingOn: [], lookAgain: nil)
        if stage & Self.battery == 0 { verdict = PowerConstraint.ac.verdict(under: context.conditions) }
        guard stage & Self.metered == 0 else { return verdict }
        return verdict.and(subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered))
    }
}
