// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that starts work at a low cost and stops it only at a clearly higher cost. The gap prevents flapping.
///
/// The cost is 0 on AC power with an unmetered network. Without AC power, the cost rises by 1; on a metered network, it
/// rises by 4. Before a start, power and network must also be stable for the debounce time.
///
/// ```swift
/// TwoThresholdPolicy(gap: 4)  // "two-threshold:gap=4" in the catalog
/// ```
///
/// Source: the two thresholds of a Schmitt trigger, as used in battery chargers and thermostats. Schmitt, "A
/// Thermionic Trigger", 1938 (not checked against the source).
public struct TwoThresholdPolicy: Policy, Hashable {
    /// The highest cost at which work starts. The default is 0.5, which means AC power and an unmetered network only.
    public var low: Double
    /// The rise of the cost above ``low`` that running work tolerates. The default is 1: work continues on battery,
    /// but not on a metered network.
    public var gap: Double
    /// The debounce time: the time for which conditions must be stable before a start. The default is 60 s.
    public var debounceTime: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        low: Double = 0.5, gap: Double = 1, debounceTime: Duration = .seconds(60),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.low = low
        self.gap = gap
        self.debounceTime = debounceTime
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if the cost is at most the threshold for starting or for continuing; otherwise, a
    /// wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        let cost = subject.cost(in: context, treatingUnknownAs: unknownMetered)
        let threshold = subject.isRunning ? low + max(0, gap) : low
        let isLow = cost == 0 || cost <= threshold
        guard isLow else { return strict }
        return subject.isRunning ? .run(relyingOn: [], reevaluateAt: nil) : debounced(in: context)
    }

    private func debounced(in context: PolicyContext) -> Verdict {
        let conditions = context.conditions
        var verdict = Verdict.run(relyingOn: [], reevaluateAt: nil)
        func addWait<Value>(_ fact: Fact<Value>, _ condition: DebouncedCondition) {
            let until = fact.since.instant.advanced(by: debounceTime)
            guard fact.isObservedChange, let reevaluation = context.reevaluation(at: until) else { return }
            verdict = verdict.and(
                .wait([WaitReason(.debouncing(condition, until: until), from: fact)], reevaluateAt: reevaluation))
        }
        addWait(conditions.power, .power)
        addWait(conditions.network, .network)
        addWait(conditions.linkKind, .network)
        addWait(conditions.metered, .network)
        return verdict
    }

    static let entry = PolicyCatalog.Entry(
        name: "two-threshold", summary: "starts at a low cost and stops only at a higher cost",
        parameters: [
            .init("low", "highest cost at which work starts (battery 1, metered 4)", default: 0.5, in: 0...5),
            .init("gap", "rise above that cost that running work tolerates", default: 1, in: 0...5),
            .init("dwell", "time of stable conditions before a start", unit: "s", default: 60, in: 0...86_400),
        ]
    ) { TwoThresholdPolicy(low: $0["low"], gap: $0["gap"], debounceTime: Duration(clampingSeconds: $0["dwell"])) }
}

/// A single relaxation phase, because only running work has the other threshold.
///
/// The policy state indicates whether power and network have been stable for the debounce time.
extension TwoThresholdPolicy: PhasedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run if the cost is low enough for a start; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var waiting = subject
        waiting.isRunning = false
        return verdict(for: waiting, in: context)
    }

    /// Returns state 1 while a condition is being debounced, with the end of the debounce.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        guard case .wait(_, let reevaluation) = debounced(in: context) else { return PolicyStateKey() }
        return PolicyStateKey(1, until: reevaluation)
    }
}
