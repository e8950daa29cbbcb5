// SPDX-License-Identifier: Apache-2.0

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
