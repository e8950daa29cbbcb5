// SPDX-License-Identifier: Apache-2.0

/// Both clocks read at once: what "now" means to a decision.
///
/// Delays are measured on `instant`, dates compared with `wall`; what was recorded as a moment does not move when
/// somebody sets the wall clock.
public struct Moment: Hashable, Sendable {
    /// The boot-time clock.
    public var instant: Instant
    /// The wall clock, as it was set then.
    public var wall: WallTime

    /// A moment from the two readings.
    public init(instant: Instant, wall: WallTime) {
        self.instant = instant
        self.wall = wall
    }

    /// When `date` will come, provided that nobody sets the wall clock before; saturating.
    public func instant(of date: WallTime) -> Instant {
        // Whole nanoseconds all the way: a duration in between would cost a division of 128 bits.
        let ahead = date.nanosecondsSinceEpoch.addingSaturating(wall.nanosecondsSinceEpoch.negatedSaturating)
        return Instant(nanoseconds: instant.nanoseconds.addingSaturating(ahead))
    }

    /// What the wall clock will show at `instant`, provided that nobody sets it before; saturating.
    public func wall(at other: Instant) -> WallTime {
        let ahead = other.nanoseconds.addingSaturating(instant.nanoseconds.negatedSaturating)
        return WallTime(nanosecondsSinceEpoch: wall.nanosecondsSinceEpoch.addingSaturating(ahead))
    }

    /// The moment `duration` later by both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(instant: instant.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}
