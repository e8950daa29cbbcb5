// SPDX-License-Identifier: Apache-2.0

/// Rows and columns for a terminal: aligned, numbers to the right.
public struct TextTable: Sendable {
    /// A column's heading.
    public struct Column: Sendable {
        /// Its words.
        public var title: String
        /// Whether it holds numbers.
        public var isNumeric: Bool

        /// A column.
        public init(_ title: String, isNumeric: Bool = true) {
            self.title = title
            self.isNumeric = isNumeric
        }
    }

    /// The columns.
    public var columns: [Column]
    /// The rows, each with as many cells as there are columns.
    public var rows: [[String]]

    /// A table.
    public init(columns: [Column], rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines, the heading first.
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
    /// The text without what may repeat at its end.
    func trimmingEnd(_ character: Character) -> String {
        var text = self[...]
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
