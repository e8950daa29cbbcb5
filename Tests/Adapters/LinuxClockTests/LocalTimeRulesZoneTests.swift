// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import Testing
import TransferModel
import TransferPolicy

@Suite("Local time rules from a time zone")
struct LocalTimeRulesZoneTests {
    /// 2026-01-15T12:00:00Z.
    private let winter = WallTime(secondsSinceEpoch: 1_768_478_400)

    @Test("Berlin changes twice a year, at the right seconds")
    func berlin() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let rules = LocalTimeRules(current: winter, zone: zone)
        #expect(rules.initialOffsetSeconds == 3600)
        #expect(rules.changes.count == 6)
        // 2026-03-29T01:00:00Z and 2026-10-25T01:00:00Z.
        #expect(rules.changes.first == .init(start: WallTime(secondsSinceEpoch: 1_774_746_000), offsetSeconds: 7200))
        #expect(
            rules.changes.dropFirst().first
                == .init(start: WallTime(secondsSinceEpoch: 1_792_890_000), offsetSeconds: 3600))
    }

    @Test("Zones without daylight saving time have one offset", arguments: [("Asia/Kolkata", 19_800), ("UTC", 0)])
    func constant(_ name: String, _ offset: Int64) throws {
        let zone = try #require(TimeZone(identifier: name))
        #expect(LocalTimeRules(current: winter, zone: zone) == LocalTimeRules(initialOffsetSeconds: offset))
    }

    @Test("Each hour of three years has Foundation's offset")
    func everyHour() throws {
        let zone = try #require(TimeZone(identifier: "America/St_Johns"))
        let rules = LocalTimeRules(current: winter, zone: zone)
        for hour in 0..<(3 * 365 * 24) {
            let date = winter.advanced(by: .seconds(hour * 3600))
            let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(date.secondsSinceEpoch)))
            guard rules.offsetSeconds(at: date) == Int64(expected) else {
                Issue.record("wrong offset at \(date.secondsSinceEpoch)")
                return
            }
        }
    }
}
