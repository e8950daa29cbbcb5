// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that waits for the hours of the week that are usually good, if such an hour comes before the last chance.
///
/// An hour is promising if enough weeks are known and the probability of good conditions is high enough. An hour with
/// too few known weeks also counts as promising, so that a new machine waits like `strict`. If no promising hour
/// remains, the policy accepts any unmetered network. In the last chance, the policy accepts all conditions.
///
/// New observations move the policy's dates, so this policy is not a ``PhasedPolicy``.
///
/// ```swift
/// HabitPolicy(chance: 0.7)  // "habit:chance=0.7" in the catalog
/// ```
///
/// Source of the idea: Nicholson, Noble, "BreadCrumbs: Forecasting Mobile Connectivity", MobiCom 2008. People are
/// creatures of habit, and about a week of training makes useful forecasts (from its abstract). BreadCrumbs learns a
/// Markov chain of places instead (from slides on it). The table of hours that fades over weeks is this project's.
public struct HabitPolicy: Policy, Hashable {
    /// The speed at which old weeks fade: each week weighs 1 − 1/`decayWeeks` of the week after it. The default is 4.
    public var decayWeeks: Double
    /// The number of weeks that must be known for an hour. The default is 3, the maximum 8.
    public var samples: Int
    /// The probability from which an hour is worth waiting for. The default is 0.5.
    public var chance: Double
    /// The factor of the last chance, which lasts this many times as long as the remaining bytes need. The default is
    /// 1.5.
    public var safety: Double
    /// The assumed rate in bytes per second if no rate has been measured. The default is 625 000.
    public var assumedRate: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        decayWeeks: Double = 4, samples: Int = 3, chance: Double = 0.5, safety: Double = 1.5,
        assumedRate: Double = 625_000, unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.decayWeeks = decayWeeks
        self.samples = samples
        self.chance = chance
        self.safety = safety
        self.assumedRate = assumedRate
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if conditions are good, or better conditions are not expected in time; otherwise, a
    /// wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        guard case .wait = strict else { return strict }
        let now = context.now.wall
        let deadline = subject.traits.constraints.deadline?.date
        let latest = deadline.map {
            min($0, subject.latestStart(before: $0, safety: safety, assumedRate: assumedRate) ?? $0)
        }
        if let latest, latest <= now { return .run(relyingOn: [], reevaluateAt: nil) }
        // Within a week, every hour occurs once. A second occurrence promises nothing new.
        let week = now.advanced(by: .seconds(7 * 86_400))
        let horizon = min(latest ?? week, week)
        let free = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        guard let promising = lastPromisingHour(until: horizon, in: context) else {
            return free.until(latest, in: context)
        }
        // Without a deadline, the same hour promises again next week until its outcome is known, which is when the
        // hour ends.
        let reevaluation = latest.map { min(promising, $0) } ?? promising.advanced(by: .nanoseconds(1))
        return strict.and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: reevaluation)))
    }

    /// Returns the end of the last hour before `horizon` that is worth waiting for, or `nil` if there is none.
    private func lastPromisingHour(until horizon: WallTime, in context: PolicyContext) -> WallTime? {
        let localTime = context.conditions.localTime
        var starts: [WallTime] = []
        var date = context.now.wall
        while date < horizon, starts.count <= 170 {
            starts.append(date)
            let next = WeekHabits.nextHour(after: date, localTime: localTime)
            guard next > date else { break }
            date = next
        }
        let last = starts.last { start in
            let known = context.history.week.chance(
                at: start, localTime: localTime, decayWeeks: decayWeeks, samples: samples)
            return known.map { $0 >= chance } ?? true
        }
        return last.map { min(WeekHabits.nextHour(after: $0, localTime: localTime), horizon) }
    }

    static let entry = PolicyCatalog.Entry(
        name: "habit", summary: "waits for the hours of the week that are usually good",
        parameters: [
            .init("weeks", "decay of old weeks: each weighs 1 - 1/weeks of the next", default: 4, in: 1...104),
            .init("samples", "weeks of data required for an hour", default: 3, in: 1...8, isWhole: true),
            .init("chance", "probability from which an hour is worth waiting for", default: 0.5, in: 0...1),
            .init("safety", "safety factor on the estimated transfer time", default: 1.5, in: 0...1000),
            .init("rate", "assumed rate before any measurement", unit: "bytes/s", default: 625_000, in: 1...1e12),
        ]
    ) {
        HabitPolicy(
            decayWeeks: $0["weeks"], samples: Int($0["samples"]), chance: $0["chance"], safety: $0["safety"],
            assumedRate: $0["rate"])
    }
}
