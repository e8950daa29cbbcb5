// SPDX-License-Identifier: Apache-2.0

/// The local time zone as plain data: offsets from UTC and the dates at which they change.
///
/// Core has no calendar; the edge reads the zone and hands over the changes of the next few years. Looking an offset
/// up costs one pass over them (a handful).
public struct LocalTimeRules: Hashable, Sendable {
    /// From `start` on, local time is UTC plus `offsetSeconds`.
    public struct Change: Hashable, Sendable {
        /// When the offset begins to hold.
        public var start: WallTime
        /// Seconds east of UTC.
        public var offsetSeconds: Int64

        /// A change of the offset.
        public init(start: WallTime, offsetSeconds: Int64) {
            self.start = start
            self.offsetSeconds = offsetSeconds
        }
    }

    /// Seconds east of UTC before the first change.
    public var initialOffsetSeconds: Int64
    /// The changes (daylight saving and others), earliest first.
    public var changes: [Change]

    /// Rules from an offset and the changes that follow; they are put in order.
    public init(initialOffsetSeconds: Int64, changes: [Change] = []) {
        self.initialOffsetSeconds = initialOffsetSeconds
        self.changes = changes.sorted { $0.start < $1.start }
    }

    /// Coordinated universal time.
    public static let utc = LocalTimeRules(initialOffsetSeconds: 0)

    /// Seconds east of UTC at `date`.
    public func offsetSeconds(at date: WallTime) -> Int64 {
        changes.last { $0.start <= date }?.offsetSeconds ?? initialOffsetSeconds
    }

    /// The second of the local week at `date`, 0 being Monday 00:00:00, and 604 799 the last.
    public func secondOfWeek(at date: WallTime) -> Int64 {
        // 1970-01-01 was a Thursday, the fourth day.
        let local = date.secondsSinceEpoch.addingSaturating(offsetSeconds(at: date)).addingSaturating(3 * 86_400)
        let remainder = local % 604_800
        return remainder < 0 ? remainder + 604_800 : remainder
    }

    /// The local time of day as people write it, `14:02`.
    public func clockTime(of date: WallTime) -> String {
        let minuteOfDay = secondOfWeek(at: date) % 86_400 / 60
        let (hour, minute) = (minuteOfDay / 60, minuteOfDay % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// The local date and time as people write it, `Tue 24 Nov 14:02:31`.
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
