// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that starts work at a low cost and stops it only at a clearly higher cost. The gap prevents flapping.
///
/// The cost is 0 on AC power with an unmetered network. Without AC power, the cost rises by 1; on a metered network,
/// it rises by 4. Before a start, power and network must also hold for the debounce time.
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
    /// The debounce time: the time for which conditions must hold before a start. The default is 60 s.
    public var dwell: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        low: Double = 0.5, gap: Double = 1, dwell: Duration = .seconds(60),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.low = low
        self.gap = gap
        self.dwell = dwell
        self.unknownMetered = unknownMetered
    }

    /// Returns whether the cost is at most the threshold for starting or for continuing.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        let cost = subject.cost(in: context, treatingUnknownAs: unknownMetered)
        let threshold = subject.isRunning ? low + max(0, gap) : low
        let isLow = cost == 0 || cost <= threshold
        guard isLow else { return strict }
        return subject.isRunning ? .run(relyingOn: [], lookAgain: nil) : settled(in: context)
    }

    private func settled(in context: PolicyContext) -> Verdict {
        let conditions = context.conditions
        var verdict = Verdict.run(relyingOn: [], lookAgain: nil)
        func settle<Value>(_ fact: Fact<Value>, _ condition: SettlingCondition) {
            let until = fact.since.instant.advanced(by: dwell)
            guard fact.isObservedChange, let look = context.look(at: until) else { return }
            verdict = verdict.and(.hold([Hold(.settling(condition, until: until), from: fact)], lookAgain: look))
        }
        settle(conditions.power, .power)
        settle(conditions.network, .network)
        settle(conditions.linkKind, .network)
        settle(conditions.metered, .network)
        return verdict
    }

    static let entry = PolicyCatalog.Entry(
        name: "two-threshold", summary: "starts below a cost, stops only above a higher one",
        parameters: [
            .init("low", "highest cost at which it starts (battery 1, metered 4)", default: 0.5, in: 0...5),
            .init("gap", "how far the cost may rise above that before it stops", default: 1, in: 0...5),
            .init("dwell", "how long conditions must have held before a start", unit: "s", default: 60, in: 0...86_400),
        ]
    ) { TwoThresholdPolicy(low: $0["low"], gap: $0["gap"], dwell: Duration(clampingSeconds: $0["dwell"])) }
}

/// A single relaxation phase, because only running work has the other threshold.
///
/// The policy state tells whether power and network have held for the debounce time.
extension TwoThresholdPolicy: StagedPolicy {
    /// Returns one: all transfers are in the same phase.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Returns whether the cost is low enough for a start.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var waiting = subject
        waiting.isRunning = false
        return verdict(for: waiting, in: context)
    }

    /// Returns state 1 while a condition is being debounced, with the end of the debounce.
    public func mood(in context: PolicyContext) -> PolicyMood {
        guard case .hold(_, let look) = settled(in: context) else { return PolicyMood() }
        return PolicyMood(1, until: look)
    }
}
