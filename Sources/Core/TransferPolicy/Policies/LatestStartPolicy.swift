// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that waits for AC power and an unmetered network while there is slack, then accepts all conditions.
///
/// Slack is the time to the deadline, less the time that the remaining bytes need. The slack is used up when the time
/// to the deadline is `safety` times the time that the bytes need. A transfer without a deadline waits for good
/// conditions. Without an estimate by the engine, a transfer of unknown size waits until its deadline.
///
/// ```swift
/// LatestStartPolicy(safety: 2)  // "latest-start:safety=2" in the catalog
/// ```
///
/// Source: least-slack scheduling, with the margin that this project's `default` uses for its last chance. Mok,
/// "Fundamental Design Problems of Distributed Systems for the Hard-Real-Time Environment", 1983 (not checked against
/// the source).
public struct LatestStartPolicy: Policy, Hashable {
    /// The safety factor on the time that the remaining bytes need. The default is 1.5.
    public var safety: Double
    /// The assumed rate in bytes per second if no rate has been measured. The default is 625 000, a slow mobile
    /// network's rate.
    public var assumedRate: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        safety: Double = 1.5, assumedRate: Double = 625_000, unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.safety = safety
        self.assumedRate = assumedRate
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if conditions are good or the slack is used up; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        return strict.until(latestStart(of: subject), in: context)
    }

    /// Returns the date on which the slack is used up, or `nil` without a deadline.
    private func latestStart(of subject: PolicySubject) -> WallTime? {
        guard let deadline = subject.traits.constraints.deadline?.date else { return nil }
        return min(
            deadline, subject.latestStart(before: deadline, safety: safety, assumedRate: assumedRate) ?? deadline)
    }

    static let entry = PolicyCatalog.Entry(
        name: "latest-start",
        summary: "AC power and unmetered until the latest start that meets the deadline, then any conditions",
        parameters: [
            .init("safety", "safety factor on the estimated transfer time", default: 1.5, in: 0...1000),
            .init("rate", "assumed rate before any measurement", unit: "bytes/s", default: 625_000, in: 1...1e12),
        ]
    ) { LatestStartPolicy(safety: $0["safety"], assumedRate: $0["rate"]) }
}

/// Two relaxation phases: with slack, and after the slack is used up.
extension LatestStartPolicy: PhasedPolicy {
    /// Returns two with a deadline, or one without.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 2 : 1 }

    /// Returns phase 1 if the slack is used up at `now`, or phase 0 until that date.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        guard let latest = latestStart(of: subject) else { return RelaxationPhase() }
        return latest <= now ? RelaxationPhase(1) : RelaxationPhase(0, until: latest)
    }

    /// Returns permission to run if conditions are good or the slack is used up; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard phase == 0 else { return .run(relyingOn: [], reevaluateAt: nil) }
        return subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
    }
}
