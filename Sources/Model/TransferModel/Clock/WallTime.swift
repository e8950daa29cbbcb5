// SPDX-License-Identifier: Apache-2.0

/// A date: what the wall clock shows, which people and servers set. Dates such as a deadline are kept on it.
///
/// Whole nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted. Arithmetic saturates.
public struct WallTime: InstantProtocol, Hashable, Sendable, Codable {
    /// Nanoseconds since 1970-01-01T00:00:00Z.
    public var nanosecondsSinceEpoch: Int64

    /// The date that lies `nanosecondsSinceEpoch` after the epoch.
    public init(nanosecondsSinceEpoch: Int64) { self.nanosecondsSinceEpoch = nanosecondsSinceEpoch }

    /// The date that lies whole `seconds` after the epoch; saturating.
    public init(secondsSinceEpoch seconds: Int64) {
        nanosecondsSinceEpoch = seconds.multipliedSaturating(by: 1_000_000_000)
    }

    /// Whole seconds since the epoch, rounded down.
    public var secondsSinceEpoch: Int64 {
        let (quotient, remainder) = nanosecondsSinceEpoch.quotientAndRemainder(dividingBy: 1_000_000_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The date `duration` later, or earlier where it is negative; saturating.
    public func advanced(by duration: Duration) -> WallTime {
        WallTime(nanosecondsSinceEpoch: nanosecondsSinceEpoch.addingSaturating(duration.wholeNanoseconds))
    }

    /// How long it is from here to `other`; negative where that is earlier.
    public func duration(to other: WallTime) -> Duration {
        .nanoseconds(nanoseconds(to: other))
    }

    /// The same in whole nanoseconds, since a duration in between costs a division of 128 bits; saturating.
    func nanoseconds(to other: WallTime) -> Int64 {
        other.nanosecondsSinceEpoch.addingSaturating(nanosecondsSinceEpoch.negatedSaturating)
    }

    /// Orders by time.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}
