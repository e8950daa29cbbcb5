// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Spends battery and metered bytes at a pace that lasts: percent of the battery a day, megabytes a month.
///
/// What was spent, over what may be spent by now (the limit × the share of the day or month that is gone), is the price.
/// AC and a free network are free; else a transfer pays up to twice the share of its time to the deadline that is gone,
/// without a deadline 1, twice that to go on. Nothing is paid above the limit. Price and worth change with every moment,
/// so this is no ``StagedPolicy``.
///
/// Source: Informed Mobile Prefetching, Higgins et al., MobiSys 2012, adapts towards goals so that budgets of battery and
/// of cellular bytes last (its abstract); here without forecasts. Not checked against the source: its conversion rates.
public struct BudgetPolicy: Policy, Hashable {
    /// Percent of the battery that may be spent a day. Default 10.
    public var batteryPerDay: Double
    /// Megabytes that may be spent a calendar month. Default 1000.
    public var megabytesPerMonth: Double
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule
    /// How soon running work that costs is looked at again: what it spends is no event.
    private static let interval = Duration.seconds(60)

    /// The rule.
    public init(
        batteryPerDay: Double = 10, megabytesPerMonth: Double = 1000,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.batteryPerDay = batteryPerDay
        self.megabytesPerMonth = megabytesPerMonth
        self.unknownMetered = unknownMetered
    }

    /// Says whether the price of the present conditions is worth it.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let conditions = context.conditions
        let power = PowerConstraint.ac.verdict(under: conditions)
        let price = subject.unmeteredVerdict(under: conditions, treatingUnknownAs: unknownMetered)
        return paying(power, from: battery(in: context), for: subject, in: context)
            .and(paying(price, from: metered(in: context), for: subject, in: context))
    }

    /// What was spent of which limit, in the period that holds.
    private struct Account {
        var kind: Spending.Kind
        var spent: Double
        var limit: Double
        var start: WallTime
        var end: WallTime

        /// What has been spent over what may have been spent by `date`; infinite once all is.
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
        guard case .hold = verdict else { return verdict }
        let now = context.now.wall
        func isWorthIt(at date: WallTime) -> Bool {
            account.price(at: date) <= worth(of: subject, at: date) * (subject.isRunning ? 2 : 1)
        }
        if isWorthIt(at: now) {
            let look = subject.isRunning ? context.now.instant.advanced(by: Self.interval) : nil
            return .run(relyingOn: [], lookAgain: look.flatMap(context.look(at:)))
        }
        // The price falls and the worth grows with time, so what is found by halves is the first moment.
        let first = Self.first(after: now, upTo: account.end, where: isWorthIt) ?? account.end
        let look = context.look(at: first)
        let hold = Hold(.budgetSpent(account.kind, renewed: look == nil ? nil : first), since: context.now)
        return verdict.and(.hold([hold], lookAgain: look))
    }

    private func worth(of subject: PolicySubject, at date: WallTime) -> Double {
        guard let deadline = subject.traits.constraints.deadline else { return 1 }
        return 2
            * deadline.elapsedShare(
                at: date, submitted: subject.traits.submitted, notBefore: subject.traits.constraints.notBefore?.date)
    }

    /// The first date after `start` for which `holds` is true, provided that it stays so; nil where not by `end`.
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
        name: "budget", summary: "spends battery and metered bytes at a pace that lasts",
        parameters: [
            .init("battery", "battery that may be spent a day", unit: "%", default: 10, in: 0...100),
            .init("metered", "bytes that may be spent a month", unit: "MB", default: 1000, in: 0...1e9),
        ]
    ) { BudgetPolicy(batteryPerDay: $0["battery"], megabytesPerMonth: $0["metered"]) }
}
