// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// A time for tests: Monday, 2026-11-23 00:00:00 UTC.
enum Sample {
    static let monday = WallTime(secondsSinceEpoch: 1_795_392_000)
    static let now = ClockReading(instant: Instant(nanoseconds: 1_000_000_000_000), wall: monday)
}
