// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Waits for the hours of the week that used to be good, as long as one of them lies before the last chance.
///
/// An hour promises something once enough weeks tell of it and the chance of good conditions is high enough; one that too
/// few tell of counts as promising, so that a new machine waits like `strict`. When no promising hour is left it takes
/// any free network, and in the last chance whatever there is. What was learned moves its dates, so this is no
/// ``StagedPolicy``.
///
/// Source of the idea: Nicholson, Noble, "BreadCrumbs: Forecasting Mobile Connectivity", MobiCom 2008: people are
/// creatures of habit, and about a week of training makes forecasts that are of use (its abstract). It learns a Markov
/// chain of places instead (slides on it); the table of hours that fades over weeks is this project's.
public struct HabitPolicy: Policy, Hashable {
    /// How fast old weeks fade: each counts 1 − 1/weeks of the one after it. Default 4.
    public var decayWeeks: Double
    /// How many weeks must tell of an hour. Default 3, at most 8.
    public var samples: Int
    /// The chance from which on an hour is worth waiting for. Default 0.5.
    public var chance: Double
    /// The last chance is this many times what the remaining bytes need before the deadline. Default 1.5.
    public var safety: Double
    /// Bytes a second while none were seen. Default 625 000.
    public var assumedRate: Double
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
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

    /// Says whether conditions are good, or better ones not to be expected in time.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let strict = subject.strictVerdict(in: context, treatingUnknownAs: unknownMetered)
        guard case .hold = strict else { return strict }
        let now = context.now.wall
        let deadline = subject.traits.constraints.deadline?.date
        let latest = deadline.map {
            min($0, subject.latestStart(before: $0, safety: safety, assumedRate: assumedRate) ?? $0)
        }
        if let latest, latest <= now { return .run(relyingOn: [], lookAgain: nil) }
        // A week ahead every hour has come once; the same one again promises nothing new.
        let week = now.advanced(by: .seconds(7 * 86_400))
        let horizon = min(latest ?? week, week)
        let free = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        guard let promising = lastPromisingHour(until: horizon, in: context) else {
            return free.until(latest, in: context)
        }
        // Without a deadline the same hour promises again next week, until what it was like is known: once it is over.
        let look = latest.map { min(promising, $0) } ?? promising.advanced(by: .nanoseconds(1))
        return strict.and(.run(relyingOn: [], lookAgain: context.look(at: look)))
    }

    /// The end of the last hour before `horizon` that is worth waiting for.
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
        name: "habit", summary: "waits for the hours of the week that used to be good",
        parameters: [
            .init("weeks", "how fast old weeks fade: each counts 1 - 1/weeks of the next", default: 4, in: 1...104),
            .init("samples", "how many weeks must tell of an hour", default: 3, in: 1...8, isWhole: true),
            .init("chance", "chance from which on an hour is worth waiting for", default: 0.5, in: 0...1),
            .init("safety", "times the need that is left as a margin", default: 1.5, in: 0...1000),
            .init("rate", "rate while none was seen", unit: "bytes/s", default: 625_000, in: 1...1e12),
        ]
    ) {
        HabitPolicy(
            decayWeeks: $0["weeks"], samples: Int($0["samples"]), chance: $0["chance"], safety: $0["safety"],
            assumedRate: $0["rate"])
    }
}
