// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// How much of each hour of the day used to be good for transfers: on mains, awake and on a free network.
///
/// Each day counts a quarter against all days before it, so that one wholly good hour is remembered for a day, and a
/// habit for several. Time asleep counts: what sleeps at night has no good nights. Hours are those of UTC, so that no
/// time zone is needed; whoever moves to another one, or changes the clocks, has new habits for a few days.
public struct DayHabits: Hashable, Sendable, Codable {
    private static let hour = ObservedHour.length
    private static let hoursOfDay = 24
    /// Shares are kept in millionths.
    private static let whole: Int64 = 1_000_000
    /// From this share on an hour promises something: what one wholly good hour yesterday leaves.
    private static let promising = whole / 4

    /// By the hour of the day; -1 for one that was not seen yet. Empty before the first.
    private var shares: [Int64] = []
    /// Its number is that of hours since the epoch.
    private var current: ObservedHour?

    /// Nothing learned yet.
    public init() {}

    /// Whether every hour of the day was seen.
    public var isComplete: Bool { shares.count == Self.hoursOfDay && shares.allSatisfy { $0 >= 0 } }

    /// How many hours lie between the one of `date` and the next one that promises something, or does not, 0 where it is
    /// that one; nil where none is like that.
    public func hours(toPromising isPromising: Bool, from date: WallTime) -> Int? {
        guard shares.count == Self.hoursOfDay else { return nil }
        let first = Self.hourOfDay(Self.hourNumber(date.nanosecondsSinceEpoch))
        // A bit an hour, and the same again for the next day: policies ask this at every event.
        var hours: UInt64 = 0
        for hour in shares.indices where (shares[hour] >= Self.promising) == isPromising { hours |= 1 << UInt64(hour) }
        guard hours != 0 else { return nil }
        return ((hours | hours << UInt64(Self.hoursOfDay)) >> UInt64(first)).trailingZeroBitCount
    }

    /// When the hour begins that comes so many hours after the one in which `date` lies.
    static func start(ofHour offset: Int, after date: WallTime) -> WallTime {
        let number = hourNumber(date.nanosecondsSinceEpoch) + Int64(offset)
        return WallTime(nanosecondsSinceEpoch: number.multipliedSaturating(by: hour))
    }

    /// So much time has gone by until `end`.
    mutating func add(_ elapsed: Duration, until end: WallTime, isGood: Bool) {
        // Further back every hour of the day was gone through a week's number of times: a step an hour must stay a few.
        let span = min(elapsed.wholeNanoseconds, Self.hour * Int64(Self.hoursOfDay) * 7)
        let last = end.nanosecondsSinceEpoch
        var date = last.addingSaturating(-span)
        while date < last {
            let number = Self.hourNumber(date)
            let next = min((number + 1).multipliedSaturating(by: Self.hour), last)
            guard next > date else { return }
            let over = ObservedHour.note(next - date, isGood: isGood, hour: number, in: &current)
            if let over { finish(over) }
            date = next
        }
    }

    private mutating func finish(_ hour: ObservedHour) {
        let share = Int64(hour.share * Double(Self.whole))
        if shares.count != Self.hoursOfDay { shares = Array(repeating: -1, count: Self.hoursOfDay) }
        let index = Self.hourOfDay(hour.hour)
        // What a store hands back may hold anything.
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
