// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// A parser for the three date formats of HTTP (RFC 9110 §5.6.7).
package enum HTTPDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    /// Returns the date in seconds since 1970, or `nil` if the text is not a date.
    package static func seconds(_ text: String) -> Int64? {
        let words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "-" }.map(String.init)
        // Sun, 06 Nov 1994 08:49:37 GMT · Sunday, 06-Nov-94 08:49:37 GMT
        if words.count >= 5, let day = Int64(words[1]) {
            return seconds(day: day, month: words[2], year: words[3], time: words[4])
        }
        // Sun Nov 6 08:49:37 1994
        if words.count == 5, let day = Int64(words[2]) {
            return seconds(day: day, month: words[1], year: words[4], time: words[3])
        }
        return nil
    }

    private static func seconds(day: Int64, month: String, year: String, time: String) -> Int64? {
        guard let monthIndex = months.firstIndex(of: month), var years = Int64(year), (1...31).contains(day) else {
            return nil
        }
        if year.count == 2 { years += years < 70 ? 2000 : 1900 }
        let parts = time.split(separator: ":").compactMap { Int64($0) }
        guard (1...9999).contains(years), parts.count == 3, (0...23).contains(parts[0]), (0...59).contains(parts[1]),
            (0...60).contains(parts[2])
        else { return nil }
        let days = CivilDate.daysSinceEpoch(year: years, month: Int64(monthIndex) + 1, day: day)
        return days * 86400 + parts[0] * 3600 + parts[1] * 60 + parts[2]
    }

    /// Returns the delay of a `Retry-After` value in seconds from `now`. The value is a number or a date (RFC 9110
    /// §10.2.3).
    package static func retryAfterSeconds(_ text: String?, now: Int64) -> Int64? {
        guard var rest = text?[...] else { return nil }
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        let trimmed = String(rest)
        if let number = Int64(trimmed) { return number >= 0 ? number : nil }
        guard let date = seconds(trimmed) else { return nil }
        return max(0, date - now)
    }
}
