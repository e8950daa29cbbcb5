// SPDX-License-Identifier: Apache-2.0

/// A date by the wall clock, which users and time servers set. Deadlines and other dates use this clock.
///
/// The date is a number of whole nanoseconds since 1970-01-01T00:00:00Z, without leap seconds. Arithmetic saturates.
///
/// ```swift
/// let date = WallTime(secondsSinceEpoch: 1_774_746_000)  // 2026-03-29 01:00 UTC
/// ```
public struct WallTime: InstantProtocol, Hashable, Sendable, Codable {
    /// The time since 1970-01-01T00:00:00Z, in nanoseconds.
    public var nanosecondsSinceEpoch: Int64

    /// Creates the date that is `nanosecondsSinceEpoch` after the epoch.
    public init(nanosecondsSinceEpoch: Int64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

    /// Creates the date that is whole `seconds` after the epoch. The result saturates.
    public init(secondsSinceEpoch seconds: Int64) {
        nanosecondsSinceEpoch = seconds.multipliedSaturating(by: 1_000_000_000)
    }

    /// The time since the epoch in whole seconds, rounded down.
    public var secondsSinceEpoch: Int64 {
        let (quotient, remainder) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the date `duration` later, or earlier for a negative duration. The result saturates.
    public func advanced(by duration: Duration) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(duration.wholeNanoseconds))
    }

    /// Returns the time from this date to `other`. Negative if `other` is earlier.
    public func duration(to other: WallTime) -> Duration {
        .nanoseconds(nanoseconds(to: other))
    }

    /// Returns the time to `other` in whole nanoseconds, without the 128-bit division of a duration. The result
    /// saturates.
    func nanoseconds(to other: WallTime) -> Int64 {
        other.nanosecondsSinceEpoch.addingSaturating(nanosecondsSinceEpoch.negatedSaturating)
    }

    /// Orders dates by time.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}
