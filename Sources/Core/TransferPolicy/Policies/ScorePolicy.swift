// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that runs work if a weighted sum of conditions, age, and budget reaches a threshold.
///
/// The conditions score 0.3 for AC power and 0.7 for an unmetered network. The age scores the elapsed share of the
/// time to the deadline, or of ``fullAge`` without a deadline, and is rescored once per period. The budget scores 1
/// below 80 %, 0.5 from 80 % on, and 0 if it is used up. The budget is the app's or the connection's and has many
/// dates, so this policy is not a ``PhasedPolicy``.
///
/// ```swift
/// ScorePolicy(threshold: 0.6)  // "score:theta=0.6" in the catalog
/// ```
///
/// Source: the additive utility function, Keeney, Raiffa, "Decisions with Multiple Objectives", 1976, section 6.5
/// (seen in its table of contents only). The weights are this project's. With these weights, battery power alone
/// delays a transfer for an eighth of its time, and a metered network for five eighths.
public struct ScorePolicy: Policy, Hashable {
    /// The sum that must be reached. The default is 0.5.
    public var threshold: Double
    /// The interval at which the age is rescored. The default is 5 min, the minimum 1 s.
    public var period: Duration
    /// The weight of the conditions. The default is 0.5.
    public var conditionWeight: Double
    /// The weight of the age. The default is 0.4.
    public var ageWeight: Double
    /// The weight of the budget. The default is 0.1.
    public var budgetWeight: Double
    /// The age that scores 1 without a deadline. The default is 24 h.
    public var fullAge: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        threshold: Double = 0.5, period: Duration = .seconds(300), conditionWeight: Double = 0.5,
        ageWeight: Double = 0.4, budgetWeight: Double = 0.1, fullAge: Duration = .seconds(86_400),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.threshold = threshold
        self.period = period
        self.conditionWeight = conditionWeight
        self.ageWeight = ageWeight
        self.budgetWeight = budgetWeight
        self.fullAge = fullAge
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if the sum reaches the threshold; otherwise, the missing conditions. Good conditions
    /// suffice by themselves.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        guard case .wait = strict else { return strict }
        let conditions = context.conditions
        let fixed =
            conditionWeight * conditionScore(subject, in: context) + budgetWeight * budgetScore(subject, in: context)
        let begin = subject.begin
        let span = max(1, begin.duration(to: end(of: subject)).wholeNanoseconds)
        let step = max(period.wholeNanoseconds, 1_000_000_000)
        let present = max(0, begin.duration(to: context.now.wall).wholeNanoseconds) / step
        func reaches(_ count: Int64) -> Bool {
            let age = min(1, Double(count.multipliedSaturating(by: step)) / Double(span))
            // Floating-point sums of tenths fall short of the exact sums by the last bit.
            return fixed + ageWeight * age >= threshold - 1e-9
        }
        guard !reaches(present) else { return .run(relyingOn: [], reevaluateAt: nil) }
        let renewal =
            budgetScore(subject, in: context) < 1
            ? context.budgets.nextRollOver(after: context.now.wall, localTime: conditions.localTime) : nil
        // Age only grows, so the first period that reaches the threshold lies between the next period and full age.
        let last = (span / step).addingSaturating(1)
        var (low, high) = (present, max(last, present))
        let aged: WallTime?
        if reaches(high) {
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if reaches(middle) { high = middle } else { low = middle }
            }
            aged = begin.advanced(by: .nanoseconds(high.multipliedSaturating(by: step)))
        } else {
            aged = nil
        }
        let reevaluation = Verdict.earlier(context.reevaluation(at: aged), context.reevaluation(at: renewal))
        return strict.and(.run(relyingOn: [], reevaluateAt: reevaluation))
    }

    private func end(of subject: PolicySubject) -> WallTime {
        subject.traits.constraints.deadline?.date ?? subject.begin.advanced(by: max(fullAge, .zero))
    }

    private func conditionScore(_ subject: PolicySubject, in context: PolicyContext) -> Double {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        let isFree = if case .run = price { true } else { false }
        return (context.conditions.power.value == .ac ? 0.3 : 0) + (isFree ? 0.7 : 0)
    }

    private func budgetScore(_ subject: PolicySubject, in context: PolicyContext) -> Double {
        let conditions = context.conditions
        let state = context.budgets.state(
            connection: conditions.connection.value, app: subject.traits.app, at: context.now.wall,
            localTime: conditions.localTime)
        switch state {
        case nil, .below: return 1
        case .near: return 0.5
        case .exhausted: return 0
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "score", summary: "runs when a weighted sum of conditions, age, and budget reaches a threshold",
        parameters: [
            .init("theta", "threshold for the sum", default: 0.5, in: 0...1),
            .init("period", "interval between updates of the age score", unit: "s", default: 300, in: 1...86_400),
            .init("cond", "weight of the conditions", default: 0.5, in: 0...1),
            .init("age", "weight of the age", default: 0.4, in: 0...1),
            .init("budget", "weight of the budget", default: 0.1, in: 0...1),
            .init("full", "age that scores 1 without a deadline", unit: "h", default: 24, in: 1...8760),
        ]
    ) {
        ScorePolicy(
            threshold: $0["theta"], period: Duration(clampingSeconds: $0["period"]), conditionWeight: $0["cond"],
            ageWeight: $0["age"], budgetWeight: $0["budget"], fullAge: Duration(clampingSeconds: $0["full"] * 3600))
    }
}
