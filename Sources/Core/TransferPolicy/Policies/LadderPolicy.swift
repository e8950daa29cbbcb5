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

    /// Returns permission to run if the conditions satisfy the step that `subject` has reached; otherwise, a wait.
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
        name: "ladder", summary: "AC power and unmetered; accepts battery, then metered, as the deadline approaches",
        parameters: [
            .init(
                "bat", "share of the time to the deadline after which battery is accepted", default: 0.5,
                in: 0...Double.infinity),
            .init(
                "cell", "share of the time to the deadline after which metered is accepted", default: 0.75,
                in: 0...Double.infinity),
        ]
    ) { LadderPolicy(batteryShare: $0["bat"], meteredShare: $0["cell"]) }
}

/// Four relaxation phases in two bits: whether battery power is acceptable, and whether a metered network is.
extension LadderPolicy: PhasedPolicy {
    private static let (battery, metered) = (1, 2)

    /// Returns four with a deadline, or one without.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 4 : 1 }

    /// Returns the phase of `subject`, with one bit for each requirement that no longer applies at `now`.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        var phase = RelaxationPhase()
        for (bit, share) in [(Self.battery, batteryShare), (Self.metered, meteredShare)] {
            guard let date = date(atShare: share, for: subject) else { continue }
            if date <= now {
                phase.number |= bit
            } else {
                phase.until = min(phase.until ?? date, date)
            }
        }
        return phase
    }

    /// Returns permission to run if the conditions satisfy the remaining requirements of a phase; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var verdict = Verdict.run(relyingOn: [], reevaluateAt: nil)
        if phase & Self.battery == 0 { verdict = PowerConstraint.ac.verdict(under: context.conditions) }
        guard phase & Self.metered == 0 else { return verdict }
        return verdict.and(subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered))
    }
}
