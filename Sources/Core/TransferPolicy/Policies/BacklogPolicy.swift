// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that runs work if the queue is too long for the present cost: queued megabytes above V × cost.
///
/// The cost is 0 on AC power with an unmetered network. Without AC power, the cost rises by 1; on a metered network,
/// it rises by 4. While work runs at a cost above 0, the policy re-evaluates once per period.
///
/// ```swift
/// BacklogPolicy(v: 50)  // "backlog:v=50" in the catalog
/// ```
///
/// Source: SALSA, Ra et al., "Energy-Delay Tradeoffs in Smartphone Applications", MobiSys 2010. In every time slot,
/// the length of the queue, the links, and V decide whether to send or to wait. The energy comes within O(1/V) of the
/// minimum at a delay of O(V) (from its abstract and slides on it). Not checked against the source: the exact rule,
/// which weighs queue × bytes sent against V × energy. The costs, V, and the period are this project's. In the
/// source, V adapts; here it is constant.
public struct BacklogPolicy: Policy, Hashable {
    /// The number of queued megabytes that one unit of cost is worth. The default is 100.
    public var v: Double
    /// The interval between re-evaluations of running work. The default is 60 s, the minimum 1 s.
    public var period: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        v: Double = 100, period: Duration = .seconds(60), unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.v = v
        self.period = max(period, .seconds(1))
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if the queue is long enough for the present cost; otherwise, the reasons for the cost.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        guard case .wait = strict else { return strict }
        let cost = subject.cost(in: context, treatingUnknownAs: unknownMetered)
        // Only an event can lengthen the queue, so a wait needs no re-evaluation.
        guard isWorth(cost, in: context) else { return strict }
        return .run(relyingOn: [], reevaluateAt: context.reevaluation(at: nextPeriod(after: context.now.instant)))
    }

    private func isWorth(_ cost: Double, in context: PolicyContext) -> Bool {
        Double(max(0, context.queue.discretionaryBytes)) / 1e6 > v * cost
    }

    private func nextPeriod(after now: Instant) -> Instant {
        let length = period.wholeNanoseconds
        let past = now.nanoseconds % length
        return now.advanced(by: .nanoseconds(length - (past < 0 ? past + length : past)))
    }

    static let entry = PolicyCatalog.Entry(
        name: "backlog", summary: "runs when the queued megabytes exceed V times the cost of the present conditions",
        parameters: [
            .init(
                "v", "megabytes that justify one unit of cost", unit: "MB", default: 100, in: 0...Double.infinity),
            .init("period", "interval between re-evaluations", unit: "s", default: 60, in: 1...86_400),
        ]
    ) { BacklogPolicy(v: $0["v"], period: Duration(clampingSeconds: $0["period"])) }
}

/// A single relaxation phase. The policy state is the set of costs for which the queue is long enough.
extension BacklogPolicy: PhasedPolicy {
    /// The value is `true`, because the length of the queue decides.
    public var stateFollowsQueue: Bool { true }

    /// Returns one: all transfers are in the same phase.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Returns the only phase.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase { RelaxationPhase() }

    /// Returns permission to run if the queue is long enough for the present cost; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }

    /// Returns a state whose bits mark the costs that the backlog is worth.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        // Without AC power, metered, and both, as in `PolicySubject.cost`.
        let costs: [(bit: UInt64, cost: Double)] = [(1, 1), (2, 4), (4, 5)]
        return PolicyStateKey(costs.reduce(0) { isWorth($1.cost, in: context) ? $0 | $1.bit : $0 })
    }
}
