// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Waits for AC and a free network as long as there is slack, then takes whatever there is.
///
/// Slack is the time to the deadline less what the remaining bytes need; it is gone once it is `safety` times that
/// need. Without a deadline, or with an unknown size until the deadline, it waits. Source: least-slack scheduling, with
/// the margin that this project's `default` uses for its last chance; Mok, "Fundamental Design Problems of Distributed
/// Systems for the Hard-Real-Time Environment", 1983 (not checked against the source).
public struct LatestStartPolicy: Policy, Hashable {
    /// Times the need that is left as a margin. Default 1.5.
    public var safety: Double
    /// Bytes a second while none were seen. Default 625 000, a slow mobile network's.
    public var assumedRate: Double
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(
        safety: Double = 1.5, assumedRate: Double = 625_000, unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.safety = safety
        self.assumedRate = assumedRate
        self.unknownMetered = unknownMetered
    }

    /// Says whether conditions are good or time is up.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        return strict.until(latestStart(of: subject), in: context)
    }

    /// Nil without a deadline.
    private func latestStart(of subject: PolicySubject) -> WallTime? {
        guard let deadline = subject.traits.constraints.deadline?.date else { return nil }
        return min(
            deadline, subject.latestStart(before: deadline, safety: safety, assumedRate: assumedRate) ?? deadline)
    }

    static let entry = PolicyCatalog.Entry(
        name: "latest-start",
        summary: "AC and unmetered until only starting now can be in time, then whatever there is",
        parameters: [
            .init("safety", "times the need that is left as a margin", default: 1.5, in: 0...1000),
            .init("rate", "rate while none was seen", unit: "bytes/s", default: 625_000, in: 1...1e12),
        ]
    ) { LatestStartPolicy(safety: $0["safety"], assumedRate: $0["rate"]) }
}

/// Two stages: while there is slack, and once it is gone.
extension LatestStartPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 2 : 1 }

    /// Whether slack is gone.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        guard let latest = latestStart(of: subject) else { return PolicyStage() }
        return latest <= now ? PolicyStage(1) : PolicyStage(0, until: latest)
    }

    /// Says whether conditions are good, where they must be.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard stage == 0 else { return .run(relyingOn: [], lookAgain: nil) }
        return subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
    }
}
