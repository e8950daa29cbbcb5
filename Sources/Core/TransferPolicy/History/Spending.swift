// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What transfers have cost: metered bytes in the calendar month, battery in the day, both by the local calendar.
///
/// A wall clock that goes back gives nothing back.
public struct Spending: Hashable, Sendable, Codable {
    /// What can be spent.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Bytes on networks that cost money.
        case meteredBytes
        /// The battery's charge.
        case battery
        /// Time in which an app's transfers run.
        case runTime
    }

    private var month: Int64 = .min
    private var bytes: Int64 = 0
    private var day: Int64 = .min
    private var percent: Int64 = 0

    /// Nothing spent yet.
    public init() {}

    /// Metered bytes in the month of `date`.
    public func meteredBytes(at date: WallTime, localTime: LocalTimeRules) -> Int64 {
        localTime.civilDate(at: date).latest(dayOfMonth: 1).daysSinceEpoch > month ? 0 : max(0, bytes)
    }

    /// Percent of the battery in the day of `date`.
    public func batteryPercent(at date: WallTime, localTime: LocalTimeRules) -> Int64 {
        localTime.civilDate(at: date).daysSinceEpoch > day ? 0 : max(0, percent)
    }

    /// Bytes came or went over a network that costs money.
    public mutating func charge(meteredBytes count: Int64, at date: WallTime, localTime: LocalTimeRules) {
        bytes = meteredBytes(at: date, localTime: localTime).addingSaturating(max(0, count))
        month = max(month, localTime.civilDate(at: date).latest(dayOfMonth: 1).daysSinceEpoch)
    }

    /// The battery lost charge while transfers ran. All of it counts: nothing tells who took how much.
    public mutating func charge(batteryPercent count: Int, at date: WallTime, localTime: LocalTimeRules) {
        percent = batteryPercent(at: date, localTime: localTime).addingSaturating(Int64(max(0, count)))
        day = max(day, localTime.civilDate(at: date).daysSinceEpoch)
    }
}
