// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxClock

/// The forms of `TZ` are tested end to end, because a process has only one.
@Suite("The clock on the wall")
struct LocalClockTests {
    @Test(
        "A time on the clock is an instant, also if the clock skips the time or shows it twice",
        arguments: [
            // 2027-03-28 in Berlin: 02:00 becomes 03:00 at 01:00 UTC.
            (1_806_199_199, 0, 1_806_195_599), (1_806_199_200, 0, 1_806_195_600), (1_806_201_000, 0, 1_806_195_600),
            (1_806_202_800, 0, 1_806_195_600), (1_806_202_801, 0, 1_806_195_601),
            // 2026-10-25 in Berlin: 03:00 becomes 02:00 at 01:00 UTC, and 02:30 is shown twice.
            (1_792_895_400, 0, 1_792_888_200), (1_792_895_400, 1_792_888_200, 1_792_891_800),
            (1_792_895_400, 1_792_899_000, 1_792_888_200), (1_792_893_599, 0, 1_792_886_399),
            (1_792_897_200, 0, 1_792_893_600),
        ] as [(Int64, Int64, Int64)])
    func instants(local: Int64, after: Int64, instant: Int64) throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let berlin = LocalClock(zone)
        #expect(berlin.instant(showing: local, after: after) == instant)
    }

    @Test("Without a zone, the clock is that of the C library")
    func process() {
        for seconds in stride(from: Int64(1_700_000_000), to: 1_800_000_000, by: 9_999_999) {
            var (instant, parts) = (time_t(seconds), tm())
            localtime_r(&instant, &parts)
            #expect(LocalClock().offsetSeconds(at: seconds) == Int64(parts.tm_gmtoff))
            let zone = LocalClock().fixedZone(at: WallTime(secondsSinceEpoch: seconds))
            #expect(zone.secondsFromGMT() == parts.tm_gmtoff)
        }
    }
}
