// SPDX-License-Identifier: Apache-2.0

/// The local time zone as plain data: offsets from UTC and the dates at which the offset changes.
///
/// Core has no calendar. An adapter reads the time zone and supplies the changes of the next few years. A lookup
/// costs one pass over the changes, which are few.
///
/// ```swift
/// let berlin = LocalTimeRules(
///     initialOffsetSeconds: 3600,
///     changes: [.init(start: WallTime(secondsSinceEpoch: 1_774_746_000), offsetSeconds: 7200)])  // 2026-03-29 01:00 UTC
/// ```
public struct LocalTimeRules: Hashable, Sendable {
    /// A change of the offset: from `start` on, local time is UTC plus `offsetSeconds`.
    public struct Change: Hashable, Sendable {
        /// The date from which the offset is valid.
        public var start: WallTime
        /// The offset in seconds east of UTC.
        public var offsetSeconds: Int64

        /// Creates a change of the offset.
        public init(start: WallTime, offsetSeconds: Int64) {
            self.start = start
            self.offsetSeconds = offsetSeconds
        }
    }

    /// The offset before the first change, in seconds east of UTC.
    public var initialOffsetSeconds: Int64
    /// The changes (daylight saving and others), earliest first.
    public var changes: [Change]

    /// Creates rules from an initial offset and the following changes, in any order.
    public init(initialOffsetSeconds: Int64, changes: [Change] = []) {
        self.initialOffsetSeconds = initialOffsetSeconds
        self.changes = changes.sorted { $0.start < $1.start }
    }

    /// The rules of Coordinated Universal Time.
    public static let utc = LocalTimeRules(initialOffsetSeconds: 0)

    /// Returns the offset at `date`, in seconds east of UTC.
    public func offsetSeconds(at date: WallTime) -> Int64 {
        changes.last { $0.start <= date }?.offsetSeconds ?? initialOffsetSeconds
    }

    /// Returns the second of the local week at `date`, from 0 (Monday 00:00:00) to 604 799.
    public func secondOfWeek(at date: WallTime) -> Int64 {
        // 1970-01-01 was a Thursday, the fourth day of the week.
        let local = date.secondsSinceEpoch.addingSaturating(offsetSeconds(at: date)).addingSaturating(3 * 86_400)
        let remainder = local % 604_800
        return remainder < 0 ? remainder + 604_800 : remainder
    }

    /// Returns the local time of day in the form `14:02`.
    public func clockTime(of date: WallTime) -> String {
        let minuteOfDay = secondOfWeek(at: date) % 86_400 / 60
        let (hour, minute) = (minuteOfDay / 60, minuteOfDay % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Returns the local date and time in the form `Tue 24 Nov 14:02:31`.
    public func dateAndTime(of date: WallTime) -> String {
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let second = secondOfWeek(at: date)
        let seconds = second % 60
        let local = date.secondsSinceEpoch.addingSaturating(offsetSeconds(at: date))
        let (quotient, remainder) = local.quotientAndRemainder(dividingBy: 86_400)
        let civil = CivilDate(daysSinceEpoch: remainder < 0 ? quotient - 1 : quotient)
        return "\(days[Int(second / 86_400)]) \(civil.day) \(months[Int(civil.month) - 1]) "
            + "\(clockTime(of: date)):\(seconds < 10 ? "0" : "")\(seconds)"
    }
}
