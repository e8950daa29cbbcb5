// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// How many metered bytes may be spent from one billing day to the next, and how many were.
///
/// Whole bytes only; sums stop at 2⁶³ − 1. The period follows the local calendar by the wall clock: it begins at local
/// midnight of the billing day, or of a shorter month's last day. A wall clock that goes back never gives bytes back:
/// one that was ahead by mistake, and is set right, finds what had been spent before.
public struct ByteBudget: Hashable, Sendable {
    /// How far a budget is used up.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// Less than 80 % are spent.
        case below
        /// 80 % or more are spent.
        case near
        /// Nothing is left.
        case over

        /// Orders by how much is spent.
        public static func < (left: State, right: State) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .below: 0
            case .near: 1
            case .over: 2
            }
        }
    }

    struct Period: Hashable, Sendable, Codable {
        /// The first day, counted from 1970-01-01.
        var firstDay: Int64
        var used: Int64
    }

    /// Bytes that may be spent per period.
    public private(set) var limit: Int64
    /// The day of the month on which a period begins, 1…31.
    public private(set) var billingDay: Int
    var current: Period
    /// The period before, for a clock that goes back into it.
    var previous: Period?

    /// A budget of which nothing is spent.
    ///
    /// - Throws: for a limit below 0 and a day that no month has.
    public init(
        limit: Int64, billingDay: Int, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        try Self.check(limit: limit, billingDay: billingDay)
        self.limit = limit
        self.billingDay = billingDay
        current = Period(firstDay: 0, used: 0)
        current.firstDay = firstDay(at: now, localTime: localTime)
    }

    /// A number from a settings file as bytes, cut to whole ones.
    ///
    /// - Throws: for NaN, infinities, and whatever is below 0 or above 2⁶³ − 1.
    public static func byteCount(_ number: Double) throws(ByteBudgetError) -> Int64 {
        // 2^63 itself is the first that does not fit.
        guard number >= 0, number < 9_223_372_036_854_775_808 else { throw .notAByteCount(number) }
        return Int64(number)
    }

    // MARK: Events

    /// Metered bytes went over the line.
    ///
    /// - Throws: for fewer than none; nothing is changed then.
    public mutating func charge(
        _ bytes: Int64, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        guard bytes >= 0 else { throw .negativeBytes(bytes) }
        rollOver(at: now, localTime: localTime)
        current.used = current.used.addingSaturating(bytes)
    }

    /// Settings changed; what is spent in the period that runs stays spent.
    ///
    /// - Throws: for a limit below 0 and a day that no month has; nothing is changed then.
    public mutating func change(
        limit: Int64, billingDay: Int, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        try Self.check(limit: limit, billingDay: billingDay)
        rollOver(at: now, localTime: localTime)
        self.limit = limit
        guard billingDay != self.billingDay else { return }
        self.billingDay = billingDay
        current.firstDay = firstDay(at: now, localTime: localTime)
    }

    /// Begins the period that holds at `now`, where another one did.
    public mutating func rollOver(at now: WallTime, localTime: LocalTimeRules) {
        current = period(at: now, localTime: localTime, leaving: &previous)
    }

    // MARK: Answers

    /// Bytes spent in the period that holds at `now`.
    public func used(at now: WallTime, localTime: LocalTimeRules) -> Int64 {
        var ignored = previous
        return period(at: now, localTime: localTime, leaving: &ignored).used
    }

    /// Bytes left in the period that holds at `now`.
    public func remaining(at now: WallTime, localTime: LocalTimeRules) -> Int64 {
        max(limit.addingSaturating(-used(at: now, localTime: localTime)), 0)
    }

    /// How far it is used up at `now`.
    public func state(at now: WallTime, localTime: LocalTimeRules) -> State {
        let used = used(at: now, localTime: localTime)
        if used >= limit { return .over }
        // The least that is 80 %, rounded up: four fifths without a product that could overflow.
        return used >= limit - limit / 5 ? .near : .below
    }

    /// When the next period begins; time alone changes nothing before.
    public func nextRollOver(after now: WallTime, localTime: LocalTimeRules) -> WallTime {
        let day = localTime.civilDate(at: now).next(dayOfMonth: Int64(billingDay))
        return localTime.start(of: day, notBefore: now)
    }

    // MARK: Period

    static func check(limit: Int64, billingDay: Int) throws(ByteBudgetError) {
        guard limit >= 0 else { throw .negativeLimit(limit) }
        guard (1...31).contains(billingDay) else { throw .billingDayOutOfRange(billingDay) }
    }

    private func firstDay(at now: WallTime, localTime: LocalTimeRules) -> Int64 {
        localTime.civilDate(at: now).latest(dayOfMonth: Int64(billingDay)).daysSinceEpoch
    }

    private func period(at now: WallTime, localTime: LocalTimeRules, leaving previous: inout Period?) -> Period {
        let firstDay = firstDay(at: now, localTime: localTime)
        if firstDay > current.firstDay {
            previous = current
            return Period(firstDay: firstDay, used: 0)
        }
        if firstDay < current.firstDay {
            // The clock went back: nothing that was spent is forgotten.
            let before = previous.map { $0.firstDay >= firstDay ? $0.used : 0 } ?? 0
            previous = nil
            return Period(firstDay: firstDay, used: current.used.addingSaturating(before))
        }
        return current
    }
}
