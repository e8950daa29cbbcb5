// SPDX-License-Identifier: Apache-2.0
import Foundation
import LinuxClock
import ToolSupport
import TransferModel

/// A parser for dates as people and systemd.time(7) write them: `tomorrow 18:00`, `2026-12-24 18:00`, `Thu 18:00`,
/// `12-24`, `18:00:30`, `6pm`, `tonight`, `@1798135200`, each optionally followed by a time zone.
///
/// A date without a time means 00:00. A date without a year, a weekday without a date, and a time without a date mean
/// the next occurrence. `tonight` is the next 22:00. A form that names more than one instant, such as `daily` or `Mon..Fri 18:00`, is an error.
struct DateExpression {
    /// The parsed date, or `nil` if the text is not a date.
    private(set) var date: WallTime?

    /// The calendar of the times that a clock on the wall shows, which knows no time zones. The clock converts them.
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
    private var calendar: Calendar { Self.calendar }
    /// The current time that the clock shows.
    private let now: Date

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` if the text names more than one instant, or a date that contradicts its weekday.
    init(_ text: String, now: WallTime, clock: LocalClock) throws {
        var (clock, words) = (clock, Self.words(of: text))
        if let last = words.last, words.count > 1, let zone = Self.zone(last) {
            clock = LocalClock(zone)
            words.removeLast()
        }
        let seconds = now.secondsSinceEpoch
        self.now = Date(timeIntervalSince1970: Double(seconds + clock.offsetSeconds(at: seconds)))
        if text.hasPrefix("@") {
            let seconds = Int64(text.dropFirst()).flatMap { $0.magnitude < 9_000_000_000 ? $0 : nil }
            date = seconds.map { WallTime(secondsSinceEpoch: $0) }
            return
        }
        date = try read(words).map {
            WallTime(secondsSinceEpoch: clock.instant(showing: Int64($0.timeIntervalSince1970), after: seconds))
        }
    }

    private static let recurring: Set<String> = [
        "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly", "annually",
    ]

    /// Returns the words of the text. An ISO 8601 date and time become two words, and `Z` becomes a word of its own.
    private static func words(of text: String) -> [String] {
        var words = text.split(separator: " ").map(String.init)
        if let index = words.firstIndex(where: { $0.first?.isNumber == true && $0.contains("T") }) {
            words.replaceSubrange(index...index, with: words[index].split(separator: "T").map(String.init))
        }
        if let last = words.last, last.hasSuffix("Z"), last.first?.isNumber == true {
            words[words.count - 1] = String(last.dropLast())
            words.append("UTC")
        }
        return words
    }

    private static func zone(_ word: String) -> TimeZone? {
        if word == "UTC" || word == "GMT" { return TimeZone(secondsFromGMT: 0) }
        return word.contains("/") ? TimeZone(identifier: word) : nil
    }

    private func read(_ words: [String]) throws -> Date? {
        let text = words.joined(separator: " ")
        if Self.recurring.contains(text.lowercased()) || text.contains(where: { "*,/~".contains($0) })
            || text.contains("..")
        {
            throw UsageError("'\(text)' names more than one time; use a single one, such as tomorrow 18:00")
        }
        var rest = words[...]
        if text.lowercased() == "tonight" { rest = ["22:00"] }
        let weekday = rest.first.flatMap(Self.weekday)
        if weekday != nil { rest = rest.dropFirst() }
        let day = rest.first.flatMap(self.day)
        if day != nil { rest = rest.dropFirst() }
        var clock = ClockTime()
        let hasClock = !rest.isEmpty
        if let word = rest.first {
            guard rest.count == 1, let time = ClockTime(word), time.seconds < 86_400 else { return nil }
            clock = time
        }
        switch (weekday, day) {
        case (let weekday, .fixed(let start)?):
            if let weekday, calendar.component(.weekday, from: start) != weekday {
                throw UsageError("'\(words[1])' is not a '\(words[0])'; leave out one of them")
            }
            return date(on: start, clock)
        case (nil, .yearly(let components)?):
            return next(components, clock)
        case (let weekday?, nil):
            return next(DateComponents(weekday: weekday), clock)
        case (nil, nil):
            // Without a day, 1:30 may be meant as a duration.
            return hasClock && clock.isUnmistakable ? next(DateComponents(), clock) : nil
        case (_?, .yearly?):
            return nil
        }
    }

    /// A day: a single one, or the same one of every year.
    private enum Day {
        case fixed(Date)
        case yearly(DateComponents)
    }

    private func day(_ word: String) -> Day? {
        let today = calendar.startOfDay(for: now)
        switch word.lowercased() {
        case "today": return .fixed(today)
        case "tomorrow": return calendar.date(byAdding: .day, value: 1, to: today).map { .fixed($0) }
        default: break
        }
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } }) else { return nil }
        let numbers = parts.compactMap { Int($0) }
        if numbers.count == 3, parts.map(\.count) == [4, 2, 2] {
            let wanted = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
            // Foundation turns 31 February into a day of March.
            guard let date = calendar.date(from: wanted),
                calendar.dateComponents([.year, .month, .day], from: date) == wanted
            else { return nil }
            return .fixed(date)
        }
        guard numbers.count == 2, parts.map(\.count) == [2, 2], (1...12).contains(numbers[0]),
            (1...31).contains(numbers[1])
        else { return nil }
        return .yearly(DateComponents(month: numbers[0], day: numbers[1]))
    }

    private func date(on day: Date, _ clock: ClockTime) -> Date? {
        day.addingTimeInterval(Double(clock.seconds))
    }

    private func next(_ day: DateComponents, _ clock: ClockTime) -> Date? {
        var components = DateComponents(
            hour: clock.seconds / 3600, minute: clock.seconds / 60 % 60, second: clock.seconds % 60)
        (components.month, components.day, components.weekday) = (day.month, day.day, day.weekday)
        return calendar.nextDate(after: now, matching: components, matchingPolicy: .nextTime)
    }

    private static func weekday(_ word: String) -> Int? {
        let names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        let word = word.lowercased()
        return names.firstIndex { $0 == word || $0.prefix(3) == word }.map { $0 + 1 }
    }
}
