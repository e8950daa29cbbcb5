// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A policy that spends battery charge and metered bytes at a sustainable pace: percent per day, megabytes per month.
///
/// The price of a resource is the amount spent, divided by the amount that may be spent by now. The latter is the
/// limit times the elapsed share of the day or month. Above the limit, the price is infinite. AC power and unmetered
/// networks cost nothing.
///
/// A transfer pays up to twice the elapsed share of its time to the deadline. A transfer without a deadline pays up
/// to 1. A running transfer pays twice as much to continue.
///
/// Price and worth change continuously, so this policy is not a ``PhasedPolicy``.
///
/// ```swift
/// BudgetPolicy(batteryPerDay: 5)  // "budget:battery=5" in the catalog
/// ```
///
/// Source: Informed Mobile Prefetching, Higgins et al., MobiSys 2012, adapts toward goals so that budgets of battery
/// and of cellular bytes last (from its abstract). This policy makes no forecasts. Not checked against the source:
/// its conversion rates.
public struct BudgetPolicy: Policy, Hashable {
    /// The battery charge that may be spent per day, in percent. The default is 10.
    public var batteryPerDay: Double
    /// The metered megabytes that may be spent per calendar month. The default is 1000.
    public var megabytesPerMonth: Double
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule
    /// The time until running work that costs something is re-evaluated. Spending triggers no event.
    private static let interval = Duration.seconds(60)

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        batteryPerDay: Double = 10, megabytesPerMonth: Double = 1000,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.batteryPerDay = batteryPerDay
        self.megabytesPerMonth = megabytesPerMonth
        self.unknownMetered = unknownMetered
    }

    /// Returns permission to run if the transfer is worth the price of the present conditions; otherwise, a wait.
    ///
    /// If not, the verdict names the moment at which the price has fallen far enough.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let conditions = context.conditions
        let power = PowerConstraint.ac.verdict(under: conditions)
        let price = subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered)
        return paying(power, from: battery(in: context), for: subject, in: context)
            .and(paying(price, from: metered(in: context), for: subject, in: context))
    }

    /// The amount spent of a resource and its limit, in the current day or month.
    private struct Account {
        var kind: Spending.Kind
        var spent: Double
        var limit: Double
        var start: WallTime
        var end: WallTime

        /// Returns the amount spent, divided by the amount that may be spent by `date`. Infinite if the limit is
        /// reached.
        func price(at date: WallTime) -> Double {
            guard spent < limit else { return .infinity }
            let span = max(1, start.duration(to: end).wholeNanoseconds)
            let gone = min(max(1, start.duration(to: date).wholeNanoseconds), span)
            return spent / (limit * Double(gone) / Double(span))
        }
    }

    private func battery(in context: PolicyContext) -> Account {
        let (now, localTime) = (context.now.wall, context.conditions.localTime)
        let day = localTime.civilDate(at: now)
        let next = CivilDate(daysSinceEpoch: day.daysSinceEpoch.addingSaturating(1))
        let end = localTime.start(of: next, notBefore: now)
        return Account(
            kind: .battery, spent: Double(context.history.spending.batteryPercent(at: now, localTime: localTime)),
            limit: batteryPerDay, start: end.advanced(by: .seconds(-86_400)), end: end)
    }

    private func metered(in context: PolicyContext) -> Account {
        let (now, localTime) = (context.now.wall, context.conditions.localTime)
        let today = localTime.civilDate(at: now)
        let first = today.latest(dayOfMonth: 1)
        let end = localTime.start(of: today.next(dayOfMonth: 1), notBefore: now)
        let days = max(1, today.next(dayOfMonth: 1).daysSinceEpoch - first.daysSinceEpoch)
        return Account(
            kind: .meteredBytes, spent: Double(context.history.spending.meteredBytes(at: now, localTime: localTime)),
            limit: megabytesPerMonth * 1e6, start: end.advanced(by: .seconds(-86_400 * days)), end: end)
    }

    private func paying(
        _ verdict: Verdict, from account: Account, for subject: PolicySubject, in context: PolicyContext
    ) -> Verdict {
        guard case .wait = verdict else { return verdict }
        let now = context.now.wall
        func isWorthIt(at date: WallTime) -> Bool {
            account.price(at: date) <= worth(of: subject, at: date) * (subject.isRunning ? 2 : 1)
        }
        if isWorthIt(at: now) {
            let reevaluation = subject.isRunning ? context.now.instant.advanced(by: Self.interval) : nil
            return .run(relyingOn: [], reevaluateAt: reevaluation.flatMap(context.reevaluation(at:)))
        }
        // The price falls and the worth grows with time, so a binary search finds the first moment.
        let first = Self.first(after: now, upTo: account.end, where: isWorthIt) ?? account.end
        let reevaluation = context.reevaluation(at: first)
        let wait = WaitReason(
            .budgetSpent(account.kind, renewed: reevaluation == nil ? nil : first), since: context.now)
        return verdict.and(.wait([wait], reevaluateAt: reevaluation))
    }

    private func worth(of subject: PolicySubject, at date: WallTime) -> Double {
        guard let deadline = subject.traits.constraints.deadline else { return 1 }
        return 2
            * deadline.elapsedShare(
                at: date, submitted: subject.traits.submitted, notBefore: subject.traits.constraints.notBefore?.date)
    }

    /// Returns the first date after `start` for which the condition is true, or `nil` if there is none up to `end`.
    ///
    /// The condition must remain true after that date.
    private static func first(
        after start: WallTime, upTo end: WallTime, where holds: (WallTime) -> Bool
    ) -> WallTime? {
        guard end > start, holds(end) else { return nil }
        var (low, high) = (start.nanosecondsSinceEpoch, end.nanosecondsSinceEpoch)
        while low < high, high.addingSaturating(low.negatedSaturating) > 1 {
            let middle = low / 2 + high / 2 + (low % 2 + high % 2) / 2
            if holds(WallTime(nanosecondsSinceEpoch: middle)) { high = middle } else { low = middle }
        }
        return WallTime(nanosecondsSinceEpoch: high)
    }

    static let entry = PolicyCatalog.Entry(
        name: "budget", summary: "spends battery charge and metered data at a sustainable pace",
        parameters: [
            .init("battery", "battery charge to spend per day", unit: "%", default: 10, in: 0...100),
            .init("metered", "metered data to spend per month", unit: "MB", default: 1000, in: 0...1e9),
        ]
    ) { BudgetPolicy(batteryPerDay: $0["battery"], megabytesPerMonth: $0["metered"]) }
}
