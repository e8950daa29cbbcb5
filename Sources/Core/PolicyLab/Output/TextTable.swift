// SPDX-License-Identifier: Apache-2.0

/// A table for a terminal, with aligned columns. Numbers are right-aligned.
///
/// ```swift
/// let table = TextTable(
///     columns: [.init("policy", isNumeric: false), .init("late %")], rows: [["strict", "2.50"]])
/// for line in table.lines { print(line) }
/// ```
public struct TextTable: Sendable {
    /// The heading of a column.
    public struct Column: Sendable {
        /// The text of the heading.
        public var title: String
        /// A Boolean value that indicates whether the column contains numbers.
        public var isNumeric: Bool

        /// Creates a heading.
        public init(_ title: String, isNumeric: Bool = true) {
            self.title = title
            self.isNumeric = isNumeric
        }
    }

    /// The columns of the table.
    public var columns: [Column]
    /// The rows, each with as many cells as there are columns.
    public var rows: [[String]]

    /// Creates a table.
    public init(columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines of text, beginning with the headings.
    public var lines: [String] {
        let all = [columns.map(\.title)] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (index, cell) in row.enumerated() {
                let space = String(repeating: " ", count: widths[index] - cell.count)
                line += (index > 0 ? "  " : "") + (columns[index].isNumeric ? space + cell : cell + space)
            }
            return line.trimmingEnd(" ")
        }
    }
}

extension String {
    /// Returns the string without any repetitions of a character at its end.
    func trimmingEnd(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
