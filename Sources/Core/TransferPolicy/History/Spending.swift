// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The cost of transfers: metered bytes per calendar month and battery charge per day, by the local calendar.
///
/// If the wall clock goes back, the totals are kept.
public struct Spending: Hashable, Sendable, Codable {
    /// A resource that transfers spend.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Bytes on metered networks.
        case meteredBytes
        /// The charge of the battery.
        case battery
        /// The running time of an app's transfers.
        case runTime
    }

    private var month: Int64 = .min
    private var bytes: Int64 = 0
    private var day: Int64 = .min
    private var percent: Int64 = 0

    /// Creates a record with no costs.
    public init() {}

    /// Returns the metered bytes in the local month of `date`.
    public func meteredBytes(at date: WallTime, localTime: LocalTimeRules) -> Int64 {
        localTime.civilDate(at: date).latest(dayOfMonth: 1).daysSinceEpoch > month ? 0 : max(0, bytes)
    }

    /// Returns the battery charge spent on the local day of `date`, in percent of a full battery.
    public func batteryPercent(at date: WallTime, localTime: LocalTimeRules) -> Int64 {
        localTime.civilDate(at: date).daysSinceEpoch > day ? 0 : max(0, percent)
    }

    /// Adds bytes that a transfer moved over a metered network. A negative count adds nothing.
    public mutating func charge(meteredBytes count: Int64, at date: WallTime, localTime: LocalTimeRules) {
        bytes = meteredBytes(at: date, localTime: localTime).addingSaturating(max(0, count))
        month = max(month, localTime.civilDate(at: date).latest(dayOfMonth: 1).daysSinceEpoch)
    }

    /// Adds battery charge that the machine lost while transfers ran, in percent. A negative count adds nothing.
    ///
    /// The full loss counts, because no source reports how much of it the transfers caused.
    public mutating func charge(batteryPercent count: Int, at date: WallTime, localTime: LocalTimeRules) {
        percent = batteryPercent(at: date, localTime: localTime).addingSaturating(Int64(max(0, count)))
        day = max(day, localTime.civilDate(at: date).daysSinceEpoch)
    }
}
