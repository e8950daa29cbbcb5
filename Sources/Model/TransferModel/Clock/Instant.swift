// SPDX-License-Identifier: Apache-2.0

/// A point on the machine's boot-time clock, which measures delays.
///
/// The clock keeps running during sleep and cannot be set. Arithmetic saturates at the ends of `Int64` (±292 years), so
/// that no input traps.
///
/// ```swift
/// let release = Instant(nanoseconds: 0).advanced(by: .seconds(60))  // one minute after boot
/// ```
public struct Instant: InstantProtocol, Hashable, Sendable {
    /// The time since the machine booted, in nanoseconds.
    public var nanoseconds: Int64

    /// Creates the instant that is `nanoseconds` after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The instant of the boot.
    public static let zero = Instant(nanoseconds: 0)
    /// The latest instant.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Returns the instant `duration` later, or earlier for a negative duration. The result saturates.
    public func advanced(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds.addingSaturating(duration.wholeNanoseconds))
    }

    /// Returns the time from this instant to `other`. Negative if `other` is earlier.
    public func duration(to other: Instant) -> Duration {
        .nanoseconds(other.nanoseconds.addingSaturating(nanoseconds.negatedSaturating))
    }

    /// Orders instants by time.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// The duration in whole nanoseconds, rounded toward zero. The value saturates at the ends of `Int64`.
    public var wholeNanoseconds: Int64 {
        // A custom implementation, because the standard library divides 128 bits several times.
        let (high, low) = attoseconds.magnitude.halves
        // 2⁶³ nanoseconds are 5 · 10⁸ · 2⁶⁴ attoseconds.
        guard high < 500_000_000 else { return self < .zero ? .min : .max }
        // Two 32-bit digits, with one division by a constant each. The processor's own division costs ten times as
        // much.
        let (upper, carry) = (high << 32 | low >> 32).quotientAndRemainder(dividingBy: 1_000_000_000)
        let lower = (carry << 32 | low & 0xFFFF_FFFF) / 1_000_000_000
        let whole = upper << 32 | lower
        return self < .zero ? -Int64(whole) : Int64(whole)
    }
}

extension UInt128 {
    fileprivate var halves: (high: UInt64, low: UInt64) {
        (UInt64(truncatingIfNeeded: self >> 64), UInt64(truncatingIfNeeded: self))
    }
}

extension Int64 {
    /// Returns the sum, limited to the range of `Int64` on overflow.
    package func addingSaturating(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// Returns the product, limited to the range of `Int64` on overflow.
    package func multipliedSaturating(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        guard overflow else { return product }
        return (self < 0) == (other < 0) ? .max : .min
    }

    /// The negation. The negation of `min` is `max`.
    package var negatedSaturating: Int64 { self == .min ? .max : -self }
}

/// A reading of both clocks, taken at the same time: the "now" of a decision.
///
/// Delays are measured by `instant`, and dates are compared with `wall`. A recorded reading does not change when the
/// wall clock is set.
public struct ClockReading: Hashable, Sendable {
    /// The reading of the boot-time clock.
    public var instant: Instant
    /// The reading of the wall clock, as it was set at that time.
    public var wall: WallTime

    /// Creates a reading from the readings of the two clocks.
    public init(instant: Instant, wall: WallTime) {
        self.instant = instant
        self.wall = wall
    }

    /// Returns the instant at which `date` comes, provided that the wall clock is not set in the meantime. The result
    /// saturates.
    public func instant(of date: WallTime) -> Instant {
        // Whole nanoseconds throughout, because an intermediate duration would cost a 128-bit division.
        let ahead = date.nanosecondsSinceEpoch.addingSaturating(wall.nanosecondsSinceEpoch.negatedSaturating)
        return Instant(nanoseconds: instant.nanoseconds.addingSaturating(ahead))
    }

    /// Returns the reading of the wall clock at `instant`, provided that the clock is not set in the meantime. The
    /// result saturates.
    public func wall(at other: Instant) -> WallTime {
        let ahead = other.nanoseconds.addingSaturating(instant.nanoseconds.negatedSaturating)
        return WallTime(nanosecondsSinceEpoch: wall.nanosecondsSinceEpoch.addingSaturating(ahead))
    }

    /// Returns the reading `duration` later by both clocks.
    public func advanced(by duration: Duration) -> ClockReading {
        ClockReading(instant: instant.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}
