// SPDX-License-Identifier: Apache-2.0

/// A file of comma-separated values with a header line. Each value has its position, for error messages.
///
/// Fields may be quoted as in RFC 4180, but may not span several lines. Empty lines are skipped, and lines end with
/// LF or CRLF. Takes one pass over the file.
struct CSVTable {
    /// A value and the column in bytes, from 1, at which it starts.
    struct Field: Hashable {
        var text: String
        var column: Int
    }

    /// A line with the same number of fields as the header.
    struct Row {
        var line: Int
        var fields: [Field]
    }

    let file: String
    /// The index of each column's field.
    private(set) var columns: [String: Int] = [:]
    private(set) var rows: [Row] = []

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - required: The columns that the file must have.
    ///   - optional: The columns that the file may have. Any other column is an error, because it may be a misspelled
    ///     name.
    init(_ bytes: [UInt8], file: String, required: [String], optional: [String]) throws(InputError) {
        self.file = file
        var lines = CSVLines(bytes, file: file)
        guard let header = try lines.next() else {
            throw InputError(
                file: file, line: 1, column: 1, expected: "a header line with \(required.joined(separator: ","))",
                found: "")
        }
        try readHeader(header, required: required, optional: optional)
        while let row = try lines.next() {
            guard row.fields.count == header.fields.count else {
                let isLong = row.fields.count > header.fields.count
                let field = isLong ? row.fields[header.fields.count] : row.fields[row.fields.count - 1]
                throw InputError(
                    file: file, line: row.line, column: field.column + (isLong ? 0 : field.text.utf8.count),
                    expected: "\(header.fields.count) fields as in the header", found: "\(row.fields.count) fields")
            }
            rows.append(row)
        }
    }

    private mutating func readHeader(
        _ header: Row, required: [String], optional: [String]
    ) throws(InputError) {
        let known = required + optional
        for (index, field) in header.fields.enumerated() {
            guard known.contains(field.text), columns[field.text] == nil else {
                let unused = known.filter { columns[$0] == nil }.joined(separator: ", ")
                throw InputError(
                    file: file, line: header.line, column: field.column,
                    expected: unused.isEmpty ? "no further column" : "one of the columns \(unused)", found: field.text)
            }
            columns[field.text] = index
        }
        for name in required where columns[name] == nil {
            let last = header.fields[header.fields.count - 1]
            throw InputError(
                file: file, line: header.line, column: last.column + last.text.utf8.count,
                expected: "a column \(name)", found: "")
        }
    }

    /// Returns the field of a row in a column; `nil` if the file has no such column.
    func field(_ name: String, _ row: Row) -> Field? { columns[name].map { row.fields[$0] } }

    /// Returns an error for a field with unexpected content.
    func error(_ field: Field, _ row: Row, expected: String) -> InputError {
        InputError(file: file, line: row.line, column: field.column, expected: expected, found: field.text)
    }
}

/// Splits a file into lines and fields.
private struct CSVLines {
    private let bytes: [UInt8]
    private let file: String
    private var position: Int
    private var line = 0

    init(_ bytes: [UInt8], file: String) {
        self.bytes = bytes
        self.file = file
        // A byte order mark has no meaning in UTF-8.
        position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// Returns the fields of the next nonempty line; `nil` at the end of the file.
    mutating func next() throws(InputError) -> CSVTable.Row? {
        while position < bytes.count {
            line += 1
            let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
            let start = position
            position = end + 1
            let stop = end > start && bytes[end - 1] == 0x0D ? end - 1 : end
            guard stop > start else { continue }
            return CSVTable.Row(line: line, fields: try fields(of: bytes[start..<stop]))
        }
        return nil
    }

    private func fields(of text: ArraySlice<UInt8>) throws(InputError) -> [CSVTable.Field] {
        var fields: [CSVTable.Field] = []
        var start = text.startIndex
        while true {
            let column = start - text.startIndex + 1
            let (content, end) = try field(of: text, from: start)
            guard let word = String(validating: content, as: UTF8.self) else {
                throw InputError(
                    file: file, line: line, column: column, expected: "text in UTF-8",
                    found: String(decoding: content, as: UTF8.self))
            }
            fields.append(CSVTable.Field(text: word, column: column))
            guard end < text.endIndex else { return fields }
            start = end + 1
        }
    }

    /// Returns a field's content and its end, which is a comma or the end of the line.
    private func field(of text: ArraySlice<UInt8>, from start: Int) throws(InputError) -> ([UInt8], end: Int) {
        let (quote, comma) = (UInt8(ascii: "\""), UInt8(ascii: ","))
        guard start < text.endIndex, text[start] == quote else {
            let end = text[start...].firstIndex(of: comma) ?? text.endIndex
            return (Array(text[start..<end]), end)
        }
        var content: [UInt8] = []
        var index = start + 1
        while index < text.endIndex {
            if text[index] != quote {
                content.append(text[index])
                index += 1
            } else if index + 1 < text.endIndex, text[index + 1] == quote {
                content.append(quote)
                index += 2
            } else {
                guard index + 1 == text.endIndex || text[index + 1] == comma else {
                    throw InputError(
                        file: file, line: line, column: index + 2 - text.startIndex,
                        expected: "a comma after the closing quote",
                        found: String(decoding: text[(index + 1)...], as: UTF8.self))
                }
                return (content, index + 1)
            }
        }
        throw InputError(
            file: file, line: line, column: start - text.startIndex + 1, expected: "a closing quote on the same line",
            found: String(decoding: text[start...], as: UTF8.self))
    }
}

/// An error in an input file: its position, the expected content, and the content found.
public struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file as the user gave it.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column in bytes, from 1.
    public var column: Int
    /// A description of valid content.
    public var expected: String
    /// The content found; empty if there was none.
    public var found: String

    /// Creates an error for a position in a file.
    public init(file: String, line: Int, column: Int, expected: String, found: String) {
        self.file = file
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
    }

    /// The error as one line, in a format that editors can jump to.
    public var description: String {
        let shown = found.count > 60 ? "\(found.prefix(60))…" : found
        return "\(file):\(line):\(column): expected \(expected), found \(found.isEmpty ? "nothing" : "'\(shown)'")"
    }
}
