// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The longest stretches of time in which this machine was not known to be on an unmetered network.
///
/// A stretch lasts from the last moment on an unmetered network to the next one. Metered networks, sleep, time switched
/// off, and time of which nothing is known all belong to it. For each of the last four weeks, the history keeps the
/// longest stretch that ended in the week.
public struct FreeNetworkHistory: Hashable, Sendable, Codable {
    private struct Week: Hashable, Sendable, Codable {
        /// The number of weeks from the epoch to the week in which the stretch ended.
        var number: Int64
        /// The length of the longest stretch, in nanoseconds.
        var longest: Int64
    }

    /// The number of weeks that the history keeps.
    public static let weekCount = 4
    private static let week: Int64 = 7 * 86_400 * 1_000_000_000

    private var weeks: [Week] = []
    /// The last moment on an unmetered network, or `nil` before the first one. Stored, so that a stretch continues
    /// while the daemon does not run.
    private var lastFree: WallTime?
    /// The observed length of the present stretch, in nanoseconds.
    private var away: Int64 = 0

    /// Creates an empty history.
    public init() {}

    /// The length of the longest stretch that has ended within the last four weeks; zero if none has.
    public var longest: Duration { .nanoseconds(longestNanoseconds) }

    /// The same length in nanoseconds. Reading a duration costs a 128-bit division.
    var longestNanoseconds: Int64 { weeks.reduce(0) { max($0, $1.longest) } }

    /// Records that `elapsed` nanoseconds have passed until `end`, on an unmetered network or not.
    mutating func add(_ elapsed: Int64, until end: WallTime, isFree: Bool) {
        if isFree {
            lastFree = end
        } else if lastFree != nil {
            away = away.addingSaturating(elapsed)
        }
    }

    /// Records that the machine is on an unmetered network from now on, or is not.
    ///
    /// - Parameters:
    ///   - mayForget: A Boolean value that indicates whether no transfer runs that relies on the length of the longest
    ///     stretch, so that the length may shrink.
    ///   - isFirst: A Boolean value that indicates whether this is the first observation since the start of the
    ///     process. The time since the previous run is then counted by the wall clock.
    mutating func observe(isFree: Bool, mayForget: Bool, isFirst: Bool, at now: WallTime) {
        if isFirst, let lastFree { away = max(away, lastFree.duration(to: now).wholeNanoseconds) }
        let number = Self.weekNumber(now)
        if isFree {
            if away > 0 { record(away, inWeek: number) }
            (away, lastFree) = (0, now)
        }
        if mayForget { weeks.removeAll { Self.isForgotten($0, inWeek: number) } }
    }

    private mutating func record(_ length: Int64, inWeek number: Int64) {
        if let index = weeks.firstIndex(where: { $0.number == number }) {
            weeks[index].longest = max(weeks[index].longest, length)
        } else {
            weeks.append(Week(number: number, longest: length))
        }
    }

    /// A clock that was set back leaves weeks in the future, which are forgotten as well.
    private static func isForgotten(_ week: Week, inWeek number: Int64) -> Bool {
        week.number <= number.addingSaturating(-Int64(weekCount)) || week.number > number
    }

    private static func weekNumber(_ date: WallTime) -> Int64 {
        let (quotient, remainder) = date.nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: week)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
