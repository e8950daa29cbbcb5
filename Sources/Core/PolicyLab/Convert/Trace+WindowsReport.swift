// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension Trace {
    /// Creates a trace from the recent usage in a Windows battery report, `powercfg /batteryreport /xml`.
    ///
    /// Each `UsageEntry` has these attributes:
    /// - `Timestamp`: The start, in UTC.
    /// - `Duration`: The length, in units of 100 ns.
    /// - `Ac`: Whether the machine was on AC power.
    /// - `EntryType`: Whether the machine was in use. Every value except `Active` counts as sleep.
    ///
    /// The report does not record the network, so `network` is assumed throughout. By default Windows reports
    /// three days; `/duration 14` reports 14 days.
    ///
    /// - Throws: An ``InputError`` if an entry lacks one of these attributes or goes backwards, or if there is no
    ///   entry.
    public init(windowsReport bytes: [UInt8], device: String, file: String, network: Network) throws(InputError) {
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw InputError(
                file: file, line: 1, column: 1, expected: "a report in UTF-8, as powercfg writes it", found: "UTF-16")
        }
        var scanner = TagScanner(bytes, file: file)
        var segments: [Segment] = []
        while let tag = try scanner.next(named: "UsageEntry") {
            let start = try tag.date("Timestamp")
            let isOnAC = try tag.value("Ac")
            guard let units = Int64(try tag.value("Duration").text), (0...40_000_000_000_000_000).contains(units) else {
                throw tag.error(try tag.value("Duration"), "a whole number of 100 ns units in Duration")
            }
            guard ["0", "1"].contains(isOnAC.text) else { throw tag.error(isOnAC, "0 or 1 in Ac") }
            let type = try tag.value("EntryType")
            // The last entry only records the time of the report.
            guard units > 0 else { continue }
            var segment = Segment(
                start: start, end: start.advanced(by: .nanoseconds(units * 100)),
                power: isOnAC.text == "1" ? .ac : .battery, network: network)
            segment.isSuspended = type.text != "Active"
            segment.level = try tag.share("ChargeCapacity", of: "FullChargeCapacity")
            if let last = segments.last {
                guard last.start < start else {
                    throw tag.error(try tag.value("Timestamp"), "a later time than in the previous entry")
                }
                // Timestamps are in whole seconds, and lengths are not. The next entry's start is the more exact end
                // of this entry.
                segments[segments.count - 1].end = min(last.end, start)
            }
            segments.append(segment)
        }
        if !segments.isEmpty { try scanner.expectEnd(of: "RecentUsage") }
        guard let trace = Trace(device: device, segments: segments) else {
            throw InputError(
                file: file, line: 1, column: 1, expected: "a report with at least one UsageEntry (powercfg /xml)",
                found: "")
        }
        self = trace
    }
}

/// Finds start tags in XML and reads their attributes. Skips everything else.
private struct TagScanner {
    private let bytes: [UInt8]
    private let file: String
    private var position = 0
    /// The position after the last tag found.
    private var lastEnd = 0

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
    }

    /// Returns the next start tag with a name; `nil` at the end of the file.
    mutating func next(named name: String) throws(InputError) -> Tag? {
        let opening = Array("<\(name)".utf8)
        while position < bytes.count {
            guard let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else { break }
            position = start + 1
            guard bytes[start...].starts(with: opening) else { continue }
            let after = start + opening.count
            guard after < bytes.count, Self.isSpace(bytes[after]) else { continue }
            // Attribute values in XML contain no '<'. If a '<' comes first, the tag was cut off and another tag
            // begins there.
            guard let end = bytes[after...].firstIndex(where: { Self.marks.contains($0) }),
                bytes[end] == UInt8(ascii: ">")
            else {
                throw InputError(
                    file: file, line: line(of: start), column: column(of: start),
                    expected: "a tag that is closed by '>'", found: name)
            }
            position = end + 1
            lastEnd = position
            return Tag(
                name: name, file: file, line: line(of: start), column: column(of: start),
                attributes: attributes(in: after..<end))
        }
        return nil
    }

    private static let marks = [UInt8(ascii: "<"), UInt8(ascii: ">")]

    /// Checks that an element's end tag follows the last tag found. Without the check, a file that was cut off
    /// between two entries looks complete.
    func expectEnd(of name: String) throws(InputError) {
        let closing = Array("</\(name)".utf8)
        var offset = lastEnd
        while let start = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[start...].starts(with: closing) { return }
            offset = start + 1
        }
        throw InputError(
            file: file, line: line(of: bytes.count), column: column(of: bytes.count), expected: "</\(name)>", found: "")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    private func line(of offset: Int) -> Int { bytes[..<offset].count { $0 == 0x0A } + 1 }

    private func column(of offset: Int) -> Int { offset - (bytes[..<offset].lastIndex(of: 0x0A) ?? -1) }

    /// Returns the attributes of the form `name="value"`, by name.
    private func attributes(in range: Range<Int>) -> [String: Tag.Value] {
        var attributes: [String: Tag.Value] = [:]
        var offset = range.lowerBound
        while let equals = bytes[offset..<range.upperBound].firstIndex(of: UInt8(ascii: "=")) {
            let name = bytes[offset..<equals].drop { Self.isSpace($0) }
            let open = equals + 1
            guard open < range.upperBound, bytes[open] == UInt8(ascii: "\"") else { break }
            guard let close = bytes[(open + 1)..<range.upperBound].firstIndex(of: UInt8(ascii: "\"")) else { break }
            attributes[String(decoding: name, as: UTF8.self)] = Tag.Value(
                text: String(decoding: bytes[(open + 1)..<close], as: UTF8.self), line: line(of: open + 1),
                column: column(of: open + 1))
            offset = close + 1
        }
        return attributes
    }
}

/// A start tag and its attributes.
private struct Tag {
    struct Value {
        var text: String
        var line: Int
        var column: Int
    }

    let name: String
    let file: String
    let line: Int
    let column: Int
    let attributes: [String: Value]

    func error(_ value: Value, _ expected: String) -> InputError {
        InputError(file: file, line: value.line, column: value.column, expected: expected, found: value.text)
    }

    func value(_ key: String) throws(InputError) -> Value {
        guard let value = attributes[key] else {
            throw InputError(
                file: file, line: line, column: column, expected: "an attribute \(key) in \(name)", found: "")
        }
        return value
    }

    /// Returns an attribute's date, in a format such as `2026-10-05T09:40:43Z`.
    func date(_ key: String) throws(InputError) -> WallTime {
        let value = try value(key)
        let text = Array(value.text.utf8)
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")]
        func number(_ range: Range<Int>) -> Int64? { Int64(String(decoding: text[range], as: UTF8.self)) }
        guard text.count == 20, marks.allSatisfy({ text[$0.0] == $0.1.asciiValue }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), (1970...2090).contains(year),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
            let days = CivilDate.days(year: year, month: month, day: day)
        else { throw error(value, "a time such as 2026-10-05T09:40:43Z in \(key)") }
        return WallTime(secondsSinceEpoch: days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    /// Returns the ratio of two attributes, 0…1; `nil` if one of them is missing or the second is 0.
    func share(_ key: String, of whole: String) throws(InputError) -> Double? {
        guard let part = attributes[key], let all = attributes[whole] else { return nil }
        guard let amount = Double(part.text), amount >= 0, amount.isFinite else {
            throw error(part, "a number of 0 or more in \(key)")
        }
        guard let total = Double(all.text), total >= 0, total.isFinite else {
            throw error(all, "a number of 0 or more in \(whole)")
        }
        return total > 0 ? min(1, amount / total) : nil
    }
}

extension CivilDate {
    /// Returns the days from 1970-01-01 to a date in the years 1970 to 2090; `nil` if the date does not exist.
    fileprivate static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        // Estimates the day first and then searches nearby, since a file has only a few dates.
        let guess = (year - 1970) * 365 + (year - 1969) / 4 + (month - 1) * 30
        return (guess - 5...guess + 40).first {
            let date = CivilDate(daysSinceEpoch: $0)
            return date.year == year && date.month == month && date.day == day
        }
    }
}
