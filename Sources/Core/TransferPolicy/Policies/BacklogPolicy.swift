// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// Goes when the queue has grown longer than the present price is worth: queued megabytes above V × cost.
///
/// The cost is 0 on AC and a free network, 1 more off AC, 4 more on a metered network; it is asked anew each period while
/// work runs that costs.
///
/// Source: SALSA, Ra et al., "Energy-Delay Tradeoffs in Smartphone Applications", MobiSys 2010: in every time slot the
/// length of the queue, the links and V decide whether to send or to wait; energy comes within O(1/V) of the least at a
/// delay of O(V) (its abstract and slides on it). Not checked against the source: the exact rule, which weighs queue ×
/// bytes sent against V × energy. The costs, V and the period are this project's; V does not adapt here as it does there.
public struct BacklogPolicy: Policy, Hashable {
    /// Queued megabytes that one unit of cost is worth. Default 100.
    public var v: Double
    /// How often it is asked anew. Default 60 s, at least 1 s.
    public var period: Duration
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(
        v: Double = 100, period: Duration = .seconds(60), unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.v = v
        self.period = max(period, .seconds(1))
        self.unknownMetered = unknownMetered
    }

    /// Says whether the queue is long enough.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        guard case .hold = strict else { return strict }
        let cost = subject.cost(in: context, treatingUnknownAs: unknownMetered)
        // Only an event can make the queue longer, so a hold need not be looked at again.
        guard isWorth(cost, in: context) else { return strict }
        return .run(relyingOn: [], lookAgain: context.look(at: nextPeriod(after: context.now.instant)))
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
        name: "backlog", summary: "when more megabytes are queued than V times what the present conditions cost",
        parameters: [
            .init(
                "v", "queued bytes that one unit of cost is worth", unit: "MB", default: 100, in: 0...Double.infinity),
            .init("period", "how often it is asked anew", unit: "s", default: 60, in: 1...86_400),
        ]
    ) { BacklogPolicy(v: $0["v"], period: Duration(clampingSeconds: $0["period"])) }
}

/// One stage. The mood is which costs the queue is worth.
extension BacklogPolicy: StagedPolicy {
    /// The queue decides.
    public var moodFollowsQueue: Bool { true }

    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { 1 }

    /// Always the first.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage { PolicyStage() }

    /// Says whether the queue is long enough.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        verdict(for: subject, in: context)
    }

    /// A bit for each cost there is.
    public func mood(in context: PolicyContext) -> PolicyMood {
        // Off AC, metered, and both, as in `PolicySubject.cost`.
        let costs: [(bit: UInt64, cost: Double)] = [(1, 1), (2, 4), (4, 5)]
        return PolicyMood(costs.reduce(0) { isWorth($1.cost, in: context) ? $0 | $1.bit : $0 })
    }
}
