// SPDX-License-Identifier: Apache-2.0

/// A day of the Gregorian calendar, without a time of day or a time zone.
///
/// The algorithms are from Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days` and
/// `days_from_civil`.
package struct CivilDate: Hashable, Comparable, Sendable {
    package let year: Int64
    /// The month, 1…12.
    package let month: Int64
    /// The day of the month, from 1.
    package let day: Int64

    /// Creates the day that is this number of days after 1970-01-01, limited to a million years before and after that
    /// date.
    package init(daysSinceEpoch: Int64) {
        // The algorithm counts from 0000-03-01.
        let days = min(max(daysSinceEpoch, -365_242_500), 365_242_500) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Creates the given day of a month, or the last day of a shorter month.
    private init(year: Int64, month: Int64, clampingDay day: Int64) {
        self.year = year
        self.month = month
        self.day = min(day, Self.days(inMonth: month, of: year))
    }

    /// The number of days since 1970-01-01. Negative for earlier days.
    package var daysSinceEpoch: Int64 { Self.daysSinceEpoch(year: year, month: month, day: day) }

    /// Returns the number of days from 1970-01-01 to a day. The month is 1…12. A day after the end of the month counts
    /// on into the next month.
    package static func daysSinceEpoch(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the number of days in a month.
    package static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the latest day, up to and including this day, with the given day of the month.
    ///
    /// In a shorter month, the last day counts.
    package func latest(dayOfMonth: Int64) -> CivilDate {
        let ofThisMonth = CivilDate(year: year, month: month, clampingDay: dayOfMonth)
        if ofThisMonth <= self { return ofThisMonth }
        return CivilDate(
            year: month == 1 ? year - 1 : year, month: month == 1 ? 12 : month - 1, clampingDay: dayOfMonth)
    }

    /// Returns the first day after this day with the given day of the month.
    ///
    /// In a shorter month, the last day counts.
    package func next(dayOfMonth: Int64) -> CivilDate {
        let ofThisMonth = CivilDate(year: year, month: month, clampingDay: dayOfMonth)
        if ofThisMonth > self { return ofThisMonth }
        return CivilDate(
            year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, clampingDay: dayOfMonth)
    }

    /// Orders days by time.
    package static func < (left: CivilDate, right: CivilDate) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }
}
