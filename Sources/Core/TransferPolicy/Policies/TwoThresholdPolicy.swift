// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Starts only where it costs little, and stops only where it costs clearly more: a gap against flapping.
///
/// The cost is 0 on AC and a free network, 1 more off AC, 4 more on a metered network. To start, power and network must
/// have held for the dwell time as well. Source: the two thresholds of a Schmitt trigger, as battery chargers and
/// thermostats use them; Schmitt, "A Thermionic Trigger", 1938 (not checked against the source).
public struct TwoThresholdPolicy: Policy, Hashable {
    /// The highest cost at which it starts. Default 0.5: on AC and a free network only.
    public var low: Double
    /// How far the cost may rise above that before it stops. Default 1: going on on battery, not on a metered network.
    public var gap: Double
    /// How long conditions must have held before a start. Default 60 s.
    public var dwell: Duration
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(
        low: Double = 0.5, gap: Double = 1, dwell: Duration = .seconds(60),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.low = low
        self.gap = gap
        self.dwell = dwell
        self.unknownMetered = unknownMetered
    }

    /// Says whether the cost is below the threshold that counts.
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

/// One stage: only what runs has the other threshold. The mood is whether power and network have held for the dwell
/// time.
extension TwoThresholdPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether the cost is low enough for a start.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        var waiting = subject
        waiting.isRunning = false
        return verdict(for: waiting, in: context)
    }

    /// Whether something has to settle, and until when.
    public func mood(in context: PolicyContext) -> PolicyMood {
        guard case .hold(_, let look) = settled(in: context) else { return PolicyMood() }
        return PolicyMood(1, until: look)
    }
}
