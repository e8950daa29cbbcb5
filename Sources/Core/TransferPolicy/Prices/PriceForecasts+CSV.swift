// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An error in a file of prices.
public struct PriceFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file or command.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// A description of the mistake and of valid content.
    public var problem: String

    /// The error as one line.
    public var description: String { "\(file):\(line): \(problem)" }
}

extension PriceForecasts {
    /// The maximum number of rows in a file. A year of quarter hours has 35,040.
    public static var mostRows: Int { 100_000 }

    /// Reads a file with the header `start,end,price` or `start,end,price,made`, in any order of columns.
    ///
    /// Dates are Unix seconds, or of the form `2026-11-26T02:00Z` or `2026-11-26 02:00:00+01:00`. Prices are decimal
    /// numbers in any unit. Empty lines and lines that begin with `#` are skipped. An empty `made` means always known.
    ///
    /// - Parameters:
    ///   - csv: The text of the file.
    ///   - file: The name of the file, for errors.
    /// - Throws: A ``PriceFileError`` for the first invalid line, or if two rows of the same `made` overlap.
    public init(csv: String, file: String) throws(PriceFileError) {
        var columns: [Substring: Int] = [:]
        var (rows, lines): ([Row], [Int]) = ([], [])
        var number = 0
        for line in csv.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let text = line.trimmed
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            let fields = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
            func failure(_ problem: String) -> PriceFileError { .init(file: file, line: number, problem: problem) }
            guard !columns.isEmpty else {
                columns = try Self.columns(of: fields, failure)
                continue
            }
            guard fields.count == columns.count else {
                throw failure("expected \(columns.count) fields, found \(fields.count)")
            }
            guard rows.count < Self.mostRows else { throw failure("more than \(Self.mostRows) rows") }
            rows.append(try Self.row(columns.mapValues { fields[$0] }, failure))
            lines.append(number)
        }
        guard !columns.isEmpty else {
            throw PriceFileError(file: file, line: 1, problem: "expected the header start,end,price")
        }
        if let index = Self.overlap(in: rows) {
            throw PriceFileError(
                file: file, line: lines[index],
                problem: "overlaps another row with the same 'made'; give each forecast the time it was made")
        }
        self.init(rows: rows)
    }

    private static func columns(
        of fields: [Substring], _ failure: (String) -> PriceFileError
    ) throws(PriceFileError) -> [Substring: Int] {
        var columns: [Substring: Int] = [:]
        for (index, field) in fields.enumerated() {
            guard ["start", "end", "price", "made"].contains(field), columns[field] == nil else {
                throw failure(
                    "expected the header start,end,price or start,end,price,made; found '\(field.prefix(40))'")
            }
            columns[field] = index
        }
        guard columns["start"] != nil, columns["end"] != nil, columns["price"] != nil else {
            throw failure("expected the header start,end,price or start,end,price,made")
        }
        return columns
    }

    private static func row(
        _ fields: [Substring: Substring], _ failure: (String) -> PriceFileError
    ) throws(PriceFileError) -> Row {
        func date(_ name: Substring) throws(PriceFileError) -> WallTime {
            guard let date = WallTime(priceDate: fields[name] ?? "") else {
                throw failure(
                    "expected Unix seconds or a date such as 2026-11-26T02:00Z in '\(name)', found "
                        + "'\((fields[name] ?? "").prefix(40))'")
            }
            return date
        }
        let text = fields["price"] ?? ""
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let price = Double(text), price.isFinite
        else { throw failure("expected a number such as 0.25 in 'price', found '\(text.prefix(40))'") }
        let (start, end) = (try date("start"), try date("end"))
        guard start < end else { throw failure("'end' must be after 'start'") }
        let isAlwaysKnown = fields["made"]?.isEmpty ?? true
        return Row(start: start, end: end, price: price, made: isAlwaysKnown ? nil : try date("made"))
    }

    /// Returns the index of a row that begins before another row of the same `made` ends.
    private static func overlap(in rows: [Row]) -> Int? {
        let order = rows.indices.sorted {
            (rows[$0].age, rows[$0].start, $0) < (rows[$1].age, rows[$1].start, $1)
        }
        for (first, second) in zip(order, order.dropFirst())
        where rows[first].made == rows[second].made && rows[second].start < rows[first].end {
            return max(first, second)
        }
        return nil
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while let first = text.first, first == " " || first == "\t" || first == "\u{FEFF}" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
        return text
    }
}

extension WallTime {
    /// Parses Unix seconds, or a date with a time and a zone such as `2026-11-26T02:00Z`.
    ///
    /// The year is 1900 to 2100, which keeps calculations with two dates from overflowing.
    init?(priceDate text: Substring) {
        if let seconds = Int64(text) {
            guard (-2_208_988_800...4_133_980_800).contains(seconds) else { return nil }
            self.init(secondsSinceEpoch: seconds)
            return
        }
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>, _ values: ClosedRange<Int64>) -> Int64? {
            guard range.upperBound <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return values.contains(value) ? value : nil
        }
        func has(_ characters: String, at index: Int) -> Bool {
            index < bytes.count && characters.utf8.contains(bytes[index])
        }
        guard let year = number(0..<4, 1900...2100), has("-", at: 4), let month = number(5..<7, 1...12),
            has("-", at: 7), let day = number(8..<10, 1...CivilDate.days(inMonth: month, of: year)),
            has("Tt ", at: 10), let hour = number(11..<13, 0...24), has(":", at: 13),
            let minute = number(14..<16, 0...59)
        else { return nil }
        var (index, second): (Int, Int64) = (16, 0)
        if has(":", at: index) {
            guard let value = number(17..<19, 0...59) else { return nil }
            (index, second) = (19, value)
        }
        guard let offset = Self.zoneOffset(bytes[min(index, bytes.count)...]) else { return nil }
        let days = CivilDate.daysSinceEpoch(year: year, month: month, day: day)
        self.init(secondsSinceEpoch: days * 86_400 + hour * 3600 + minute * 60 + second - offset)
    }

    /// Returns the seconds that a zone such as `Z`, `+01:00`, or `-0330` is ahead of UTC.
    private static func zoneOffset(_ bytes: ArraySlice<UInt8>) -> Int64? {
        if bytes.elementsEqual("Z".utf8) || bytes.elementsEqual("z".utf8) { return 0 }
        guard let sign = bytes.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4 || digits.count == 2, digits.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        let values = digits.map { Int64($0) - 48 }
        let hours = values[0] * 10 + values[1]
        let minutes = values.count == 4 ? values[2] * 10 + values[3] : 0
        guard hours <= 14, minutes < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
}
