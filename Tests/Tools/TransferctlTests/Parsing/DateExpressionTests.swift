// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import Testing
import ToolSupport
import TransferModel

@testable import transferctl

@Suite("Dates as people and systemd write them")
struct DateExpressionTests {
    /// The time 2026-11-21T12:00:00Z, a Saturday; 13:00 in Berlin.
    let now = WallTime(secondsSinceEpoch: 1_795_262_400)

    private func date(_ text: String, zone: String = "Europe/Berlin") throws -> String {
        let zone = try #require(TimeZone(identifier: zone))
        let clock = LocalClock(zone)
        let date = try TimeExpression(text, option: "by", now: now, clock: clock).date
        return String(Formatting.rfc3339(date).prefix(19))
    }

    @Test(
        "A date, a weekday, and a time name the next instant that fits",
        arguments: [
            ("tomorrow 18:00", "2026-11-22T17:00:00"), ("tomorrow", "2026-11-21T23:00:00"),
            ("Tomorrow 9:05", "2026-11-22T08:05:00"), ("today 18:00", "2026-11-21T17:00:00"),
            ("2026-12-24 18:00", "2026-12-24T17:00:00"), ("2026-12-24", "2026-12-23T23:00:00"),
            ("2026-12-24 18:00:30", "2026-12-24T17:00:30"), ("2026-12-24T18:00", "2026-12-24T17:00:00"),
            ("Thu 2026-12-24 18:00", "2026-12-24T17:00:00"), ("12-24 18:00", "2026-12-24T17:00:00"),
            ("01-02", "2027-01-01T23:00:00"), ("Mon 18:00", "2026-11-23T17:00:00"), ("monday", "2026-11-22T23:00:00"),
            ("Sat 13:30", "2026-11-21T12:30:00"), ("Sat 12:30", "2026-11-28T11:30:00"),
            ("18:00:30", "2026-11-21T17:00:30"), ("12:30", "2026-11-22T11:30:00"),
        ])
    func forms(text: String, utc: String) throws { #expect(try date(text) == utc) }

    @Test(
        "A time zone at the end applies to the date",
        arguments: [
            ("2026-12-24 18:00 UTC", "2026-12-24T18:00:00"), ("2026-12-24T18:00Z", "2026-12-24T18:00:00"),
            ("tomorrow 18:00 America/New_York", "2026-11-22T23:00:00"), ("18:00 UTC", "2026-11-21T18:00:00"),
            ("@1798135200", "2026-12-24T18:00:00"),
        ])
    func zones(text: String, utc: String) throws { #expect(try date(text) == utc) }

    @Test("A time that the clock skips in spring becomes the first instant after the gap")
    func skipped() throws { #expect(try date("2027-03-28 02:30") == "2027-03-28T01:00:00") }

    @Test(
        "A form with more than one instant is refused with the reason",
        arguments: ["daily", "weekly", "*-*-* 18:00", "Mon..Fri 18:00", "Mon,Tue 18:00", "2026-*-01", "00/2:00"])
    func recurring(text: String) {
        let error = #expect(throws: UsageError.self) { try date(text) }
        #expect(error?.description.contains("names more than one time") == true, "\(error as Any)")
    }

    @Test(
        "A date that does not exist, has passed, or contradicts its weekday is refused",
        arguments: [
            ("2026-02-31 18:00", "not a valid time"), ("2026-13-01", "not a valid time"),
            ("13-01", "not a valid time"), ("tomorrow 25:00", "not a valid time"), ("tomorrow 18", "not a valid time"),
            ("@-9223372036854775808", "not a valid time"), ("@9223372036854775807", "not a valid time"),
            ("tomorrow 18:00 Nowhere", "not a valid time"), ("someday", "not a valid time"),
            ("today", "has passed"), ("2026-11-21 12:00", "has passed"), ("Fri 2026-12-24", "is not a 'Fri'"),
        ])
    func faults(text: String, message: String) {
        let error = #expect(throws: UsageError.self) { try date(text) }
        #expect(error?.description.contains(message) == true, "\(error as Any)")
    }

    @Test(
        "Spans may have several units",
        arguments: [("1h30min", 5400.0), ("2w", 1_209_600), ("1d 12h", 129_600), ("90", 90), ("1.5h", 5400)])
    func spans(text: String, seconds: Double) {
        #expect(DurationExpression(text)?.duration == .seconds(seconds))
    }

    @Test("A number without a unit is no part of a span", arguments: ["1h30", "h", "1h-2m", "1x", ""])
    func badSpans(text: String) { #expect(DurationExpression(text) == nil) }
}
