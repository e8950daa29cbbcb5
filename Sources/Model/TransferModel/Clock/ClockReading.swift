// SPDX-License-Identifier: Apache-2.0

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
