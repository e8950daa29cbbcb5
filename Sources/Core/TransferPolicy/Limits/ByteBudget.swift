// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A limit on the metered bytes per billing period, and the number of bytes already used.
///
/// A budget counts whole bytes, and sums stop at 2⁶³ − 1. Periods follow the local calendar by the wall clock. A
/// period begins at local midnight of the billing day, or of the last day of a shorter month.
///
/// A wall clock that goes back never returns bytes to the budget. If a clock was ahead by mistake and is corrected,
/// the budget still counts the bytes used before.
///
/// ```swift
/// var budget = try ByteBudget(limit: 2_000_000_000, billingDay: 15, at: now, localTime: localTime)
/// try budget.charge(1_800_000_000, at: now, localTime: localTime)
/// budget.state(at: now, localTime: localTime)  // .near
/// ```
public struct ByteBudget: Hashable, Sendable {
    /// The degree to which a budget is used up.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
        /// Less than 80 % of the limit is used.
        case below
        /// At least 80 % of the limit is used.
        case near
        /// No bytes are left.
        case exhausted = "over"

        /// Orders states from ``below`` to ``exhausted``.
        public static func < (left: State, right: State) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .below: 0
            case .near: 1
            case .exhausted: 2
            }
        }
    }

    struct Period: Hashable, Sendable, Codable {
        /// The first day of the period, as a number of days since 1970-01-01.
        var firstDay: Int64
        var used: Int64
    }

    /// The limit in bytes per period.
    public private(set) var limit: Int64
    /// The day of the month on which a period begins, 1…31.
    public private(set) var billingDay: Int
    var current: Period
    /// The previous period, for a clock that goes back into it.
    var previous: Period?

    /// Creates a budget with no bytes used.
    ///
    /// - Throws: `ByteBudgetError` if the limit is below 0 or the billing day is not in 1…31.
    public init(
        limit: Int64, billingDay: Int, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        try Self.check(limit: limit, billingDay: billingDay)
        self.limit = limit
        self.billingDay = billingDay
        current = Period(firstDay: 0, used: 0)
        current.firstDay = firstDay(at: now, localTime: localTime)
    }

    /// Returns a number from a settings file as a whole number of bytes. Fractions are cut off.
    ///
    /// - Throws: `ByteBudgetError` for NaN, infinities, and numbers below 0 or above 2⁶³ − 1.
    public static func byteCount(_ number: Double) throws(ByteBudgetError) -> Int64 {
        // 2^63 is the first number that does not fit.
        guard number >= 0, number < 9_223_372_036_854_775_808 else { throw .notAByteCount(number) }
        return Int64(number)
    }

    // MARK: Events

    /// Adds metered bytes to the current period.
    ///
    /// - Throws: `ByteBudgetError` if the count is negative. The budget is then unchanged.
    public mutating func charge(
        _ bytes: Int64, at now: WallTime, localTime: LocalTimeRules
    ) throws(ByteBudgetError) {
        guard bytes >= 0 else { throw .negativeBytes(bytes) }
        rollOver(at: now, localTime: localTime)
        current.used = current.used.addingSaturating(bytes)
    }

    /// Changes the limit and the billing day, and keeps the bytes used in the current period.
    ///
    /// - Throws: `ByteBudgetError` if the limit is below 0 or the billing day is not in 1…31. The budget is then
    ///   unchanged.
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

    /// Begins the period that contains `now`, unless that period has already begun.
    public mutating func rollOver(at now: WallTime, localTime: LocalTimeRules) {
        current = period(at: now, localTime: localTime, leaving: &previous)
    }

    // MARK: Answers

    /// Returns the bytes used in the period that contains `now`.
    public func used(at now: WallTime, localTime: LocalTimeRules) -> Int64 {
        var ignored = previous
        return period(at: now, localTime: localTime, leaving: &ignored).used
    }

    /// Returns the bytes left in the period that contains `now`, at least 0.
    public func remaining(at now: WallTime, localTime: LocalTimeRules) -> Int64 {
        max(limit.addingSaturating(-used(at: now, localTime: localTime)), 0)
    }

    /// Returns the degree to which the budget is used up at `now`.
    public func state(at now: WallTime, localTime: LocalTimeRules) -> State {
        let used = used(at: now, localTime: localTime)
        if used >= limit { return .exhausted }
        // The smallest count that is 80 %, rounded up. The expression avoids a product that could overflow.
        return used >= limit - limit / 5 ? .near : .below
    }

    /// Returns the start of the next period. Until then, the passage of time changes nothing.
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
            // The clock went back. The bytes of both periods stay counted.
            let before = previous.map { $0.firstDay >= firstDay ? $0.used : 0 } ?? 0
            previous = nil
            return Period(firstDay: firstDay, used: current.used.addingSaturating(before))
        }
        return current
    }
}

/// An error in the numbers given to a ``ByteBudget``.
public enum ByteBudgetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The limit is below 0. The value is in bytes.
    case negativeLimit(Int64)
    /// The billing day is not in 1…31.
    case billingDayOutOfRange(Int)
    /// The byte count is negative.
    case negativeBytes(Int64)
    /// The number is not a byte count: NaN, infinite, negative, or above 2⁶³ − 1.
    case notAByteCount(Double)

    /// A message with the rejected number and the permitted range.
    public var description: String {
        switch self {
        case .negativeLimit(let bytes): "limit must be at least 0 bytes, not \(bytes)"
        case .billingDayOutOfRange(let day): "billing day must be from 1 to 31, not \(day)"
        case .negativeBytes(let bytes): "byte count must be at least 0, not \(bytes)"
        case .notAByteCount(let number): "byte count must be from 0 to \(Int64.max), not \(number)"
        }
    }
}
