// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransferModel
import TransferPolicy

@Suite struct LocalTimeRulesTests {
    @Test("Dates and times have their display form")
    func formatting() {
        #expect(LocalTimeRules.utc.dateAndTime(of: Sample.monday) == "Mon 23 Nov 00:00:00")
        #expect(
            LocalTimeRules.utc.clockTime(of: Sample.monday.advanced(by: .seconds(9 * 3600 + 5 * 60 + 59))) == "09:05")
        let east = LocalTimeRules(initialOffsetSeconds: 5 * 3600 + 45 * 60)
        #expect(east.dateAndTime(of: Sample.monday) == "Mon 23 Nov 05:45:00")
        let west = LocalTimeRules(initialOffsetSeconds: -3600)
        #expect(west.dateAndTime(of: Sample.monday) == "Sun 22 Nov 23:00:00")
        #expect(west.secondOfWeek(at: Sample.monday) == 604_800 - 3600)
        #expect(LocalTimeRules.utc.dateAndTime(of: WallTime(nanosecondsSinceEpoch: -1)) == "Wed 31 Dec 23:59:59")
        #expect(LocalTimeRules.utc.dateAndTime(of: WallTime(secondsSinceEpoch: 1_709_164_800)) == "Thu 29 Feb 00:00:00")
        for end in [Int64.min, .max] { _ = east.dateAndTime(of: WallTime(nanosecondsSinceEpoch: end)) }
    }

    @Test("The calendar agrees with Foundation's over two centuries")
    func calendar() throws {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE d MMM HH:mm:ss"
        for step in Int64(-300)..<300 {
            let seconds = step * 10_000_003
            let expected = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
            #expect(LocalTimeRules.utc.dateAndTime(of: WallTime(secondsSinceEpoch: seconds)) == expected)
        }
    }

    @Test("Changes are sorted, and each applies from its own second on")
    func changes() {
        let rules = LocalTimeRules(
            initialOffsetSeconds: 1,
            changes: [
                .init(start: WallTime(secondsSinceEpoch: 20), offsetSeconds: 3),
                .init(start: WallTime(secondsSinceEpoch: 10), offsetSeconds: 2),
            ])
        let offsets = [9, 10, 19, 20].map { rules.offsetSeconds(at: WallTime(secondsSinceEpoch: $0)) }
        #expect(offsets == [1, 2, 2, 3])
    }
}
