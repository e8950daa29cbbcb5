// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite("CivilDate")
struct CivilDateTests {
    @Test("Eight centuries of days convert to calendar dates and back")
    func everyDay() {
        // The first day is 1600-01-01.
        var (year, month, day) = (1600 as Int64, 1 as Int64, 1 as Int64)
        for days in -135_140...157_054 as ClosedRange<Int64> {
            let date = CivilDate(daysSinceEpoch: days)
            guard (date.year, date.month, date.day) == (year, month, day), date.daysSinceEpoch == days else {
                Issue.record("day \(days): \(date), not \(year)-\(month)-\(day)")
                return
            }
            day += 1
            if day > Self.lengths(year)[Int(month) - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect((year, month, day) == (2400, 1, 2))
    }

    @Test("The epoch is 1970-01-01, and day counts are clamped to a million years")
    func ends() {
        #expect(CivilDate(daysSinceEpoch: 0) == date(1970, 1, 1))
        #expect(CivilDate(daysSinceEpoch: .max).year > 1_000_000)
        #expect(CivilDate(daysSinceEpoch: .min).year < -990_000)
        #expect(CivilDate(daysSinceEpoch: .min) < CivilDate(daysSinceEpoch: .max))
    }

    @Test("The latest and next billing days are correct in short months and at the year's end")
    func billingDays() {
        #expect(date(2026, 11, 21).latest(dayOfMonth: 21) == date(2026, 11, 21))
        #expect(date(2026, 11, 21).latest(dayOfMonth: 22) == date(2026, 10, 22))
        #expect(date(2026, 11, 21).next(dayOfMonth: 21) == date(2026, 12, 21))
        #expect(date(2026, 11, 21).next(dayOfMonth: 31) == date(2026, 11, 30))
        #expect(date(2026, 11, 30).latest(dayOfMonth: 31) == date(2026, 11, 30))
        #expect(date(2026, 11, 30).next(dayOfMonth: 31) == date(2026, 12, 31))
        #expect(date(2026, 1, 3).latest(dayOfMonth: 5) == date(2025, 12, 5))
        #expect(date(2026, 12, 31).next(dayOfMonth: 1) == date(2027, 1, 1))
        #expect(date(2026, 3, 1).latest(dayOfMonth: 30) == date(2026, 2, 28))
        #expect(date(2028, 3, 1).latest(dayOfMonth: 30) == date(2028, 2, 29))
        #expect(date(2028, 2, 29).latest(dayOfMonth: 31) == date(2028, 2, 29))
        #expect(date(2100, 2, 28).latest(dayOfMonth: 29) == date(2100, 2, 28))
    }

    /// Computes a date by counting days, so that the result does not depend on the conversion under test.
    private func date(_ year: Int64, _ month: Int64, _ day: Int64) -> CivilDate {
        var days: Int64 = 0
        for passed in 1970..<year { days += Self.lengths(passed).reduce(0, +) }
        days += Self.lengths(year).prefix(Int(month) - 1).reduce(0, +)
        return CivilDate(daysSinceEpoch: days + day - 1)
    }

    private static func lengths(_ year: Int64) -> [Int64] {
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }
}
