// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The share of each hour of the day that is usually good for transfers: on AC power, awake, and on an unmetered
/// network.
///
/// Each day weighs a quarter against all earlier days. A single good hour is therefore remembered for a day, and a
/// habit for several days. Sleep counts as time that is not good: a machine that sleeps at night has no good nights.
///
/// Hours are in UTC, so that no time zone is needed. After a move to another time zone or a change of the clocks, the
/// history needs a few days to adapt.
public struct DayHabits: Hashable, Sendable, Codable {
    private static let hour = ObservedHour.length
    private static let hoursOfDay = 24
    /// The unit of a share: millionths.
    private static let whole: Int64 = 1_000_000
    /// The share from which an hour is promising. A single entirely good hour yields exactly this share.
    private static let promising = whole / 4

    /// The shares by hour of the day, or -1 for an hour that has not been observed. Empty before the first observed
    /// hour.
    private var shares: [Int64] = []
    /// The hour being observed, numbered from the epoch.
    private var current: ObservedHour?

    /// Creates an empty history.
    public init() {}

    /// A Boolean value that indicates whether every hour of the day has been observed.
    public var isComplete: Bool { shares.count == Self.hoursOfDay && shares.allSatisfy { $0 >= 0 } }

    /// Returns the number of hours from the hour of `date` to the next hour that is promising, or not promising.
    ///
    /// - Returns: 0 if the hour of `date` itself qualifies; `nil` if no hour does.
    public func hours(toPromising isPromising: Bool, from date: WallTime) -> Int? {
        guard shares.count == Self.hoursOfDay else { return nil }
        let first = Self.hourOfDay(Self.hourNumber(date.nanosecondsSinceEpoch))
        // One bit per hour, repeated for the next day. Policies call this method on every event.
        var hours: UInt64 = 0
        for hour in shares.indices where (shares[hour] >= Self.promising) == isPromising { hours |= 1 << UInt64(hour) }
        guard hours != 0 else { return nil }
        return ((hours | hours << UInt64(Self.hoursOfDay)) >> UInt64(first)).trailingZeroBitCount
    }

    /// Returns the start of the hour that lies `offset` hours after the hour of `date`.
    static func start(ofHour offset: Int, after date: WallTime) -> WallTime {
        let number = hourNumber(date.nanosecondsSinceEpoch) + Int64(offset)
        return WallTime(nanosecondsSinceEpoch: number.multipliedSaturating(by: hour))
    }

    /// Records whether the period of `elapsed` nanoseconds that ended at `end` was good. Counts at most the last week.
    mutating func add(_ elapsed: Int64, until end: WallTime, isGood: Bool) {
        // A week passes through every hour of the day seven times, which is enough. The loop takes one step per hour,
        // so its length must be bounded.
        let span = min(elapsed, Self.hour * Int64(Self.hoursOfDay) * 7)
        let last = end.nanosecondsSinceEpoch
        var date = last.addingSaturating(-span)
        while date < last {
            let number = Self.hourNumber(date)
            let next = min((number + 1).multipliedSaturating(by: Self.hour), last)
            guard next > date else { return }
            let ended = ObservedHour.record(next - date, isGood: isGood, hour: number, in: &current)
            if let ended { finish(ended) }
            date = next
        }
    }

    private mutating func finish(_ hour: ObservedHour) {
        let share = Int64(hour.share * Double(Self.whole))
        if shares.count != Self.hoursOfDay { shares = Array(repeating: -1, count: Self.hoursOfDay) }
        let index = Self.hourOfDay(hour.hour)
        // Stored data can contain anything, so the old share is clamped.
        shares[index] = (3 * min(max(0, shares[index]), Self.whole) + share) / 4
    }

    private static func hourNumber(_ nanoseconds: Int64) -> Int64 {
        let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: hour)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func hourOfDay(_ number: Int64) -> Int {
        let remainder = Int(number % Int64(hoursOfDay))
        return remainder < 0 ? remainder + hoursOfDay : remainder
    }
}
