// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that requires less in fixed steps as the deadline approaches.
///
/// At first, a transfer needs AC power and an unmetered network. After a share of its time, battery power is
/// acceptable. After a larger share, a metered network is acceptable. A transfer without a deadline stays at the
/// first step.
///
/// ```swift
/// LadderPolicy(batteryShare: 0.25)  // "ladder:bat=0.25" in the catalog
/// ```
public struct LadderPolicy: Policy, Hashable {
    /// The share of the time to the deadline after which battery power is acceptable, 0…1. Infinity means never. The
    /// default is 0.5.
    public var batteryShare: Double
    /// The share of the time to the deadline after which a metered network is acceptable, 0…1. Infinity means never.
    /// The default is 0.75.
    public var meteredShare: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        batteryShare: Double = 0.5, meteredShare: Double = 0.75,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.batteryShare = batteryShare
        self.meteredShare = meteredShare
        self.unknownMetered = unknownMetered
    }

    /// Returns whether the conditions satisfy the step that `subject` has reached.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let power = PowerConstraint.ac.verdict(under: context.conditions)
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        return power.until(date(atShare: batteryShare, for: subject), in: context)
            .and(price.until(date(atShare: meteredShare, for: subject), in: context))
    }

    /// Returns the date on which a share of the time has elapsed, or `nil` for never.
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

/// Four relaxation phases in two bits: whether battery power is acceptable, and whether a metered network is.
extension LadderPolicy: StagedPolicy {
    private static let (battery, metered) = (1, 2)

    /// Returns four with a deadline, or one without.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 4 : 1 }

    /// Returns the phase of `subject`, with one bit for each requirement that no longer applies at `now`.
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

    /// Returns whether the conditions satisfy the remaining requirements of a phase.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var verdict = Verdict.run(relyingOn: [], lookAgain: nil)
        if stage & Self.battery == 0 { verdict = PowerConstraint.ac.verdict(under: context.conditions) }
        guard stage & Self.metered == 0 else { return verdict }
        return verdict.and(subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered))
    }
}
