// SPDX-License-Identifier: Apache-2.0
import ToolSupport

/// A table of rows below a header. Each column is as wide as its widest cell.
struct ColumnTable {
    private var rows: [[String]]

    /// Creates a table with the titles of its columns.
    init(_ head: [String]) { rows = [head] }

    /// Adds a row, which must have one cell per column.
    mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

    /// Returns the lines of the table, header first, cut to `width` columns.
    func lines(width: Int) -> [String] {
        let widths = rows[0].indices.map { column in rows.map { Formatting.columns($0[column]) }.max() ?? 0 }
        return rows.map { cells in
            var line = ""
            for (index, cell) in cells.enumerated() {
                line += cell
                guard index < cells.count - 1 else { break }
                line += String(repeating: " ", count: widths[index] - Formatting.columns(cell) + 2)
            }
            return Formatting.fitted(line, width: width)
        }
    }

    /// Prints the table to standard output.
    func print() {
        let width = Console.isTerminal(1) ? Console.width(1) : 1000
        for line in lines(width: width) { Console.print(line) }
    }
}
