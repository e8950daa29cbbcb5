// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a file that was read: where, what was expected, and what stood there.
public struct InputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public var file: String
    /// The line, from 1.
    public var line: Int
    /// The column in bytes, from 1.
    public var column: Int
    /// What would have been right.
    public var expected: String
    /// What stood there; empty where there was nothing.
    public var found: String

    /// An error.
    public init(file: String, line: Int, column: Int, expected: String, found: String) {
        self.file = file
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found
    }

    /// One line in the form that editors jump to.
    public var description: String {
        let shown = found.count > 60 ? "\(found.prefix(60))…" : found
        return "\(file):\(line):\(column): expected \(expected), found \(found.isEmpty ? "nothing" : "'\(shown)'")"
    }
}
