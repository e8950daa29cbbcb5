// SPDX-License-Identifier: Apache-2.0

/// A scanner for one line of a file of overrides.
struct LineScanner {
    private var rest: Substring.UnicodeScalarView
    private let number: Int

    /// Creates a scanner for a line with a number, starting at 1.
    init(line: Substring.UnicodeScalarView, number: Int) {
        rest = line
        if rest.last == "\r" { rest.removeLast() }
        self.number = number
    }

    /// Whether only a comment or nothing is left.
    var isAtEnd: Bool { rest.isEmpty || rest.first == "#" }

    /// Skips spaces and tabs.
    mutating func skipBlanks() {
        while let next = rest.first, next == " " || next == "\t" { rest.removeFirst() }
    }

    /// Consumes a scalar if it is next, and returns whether it was.
    mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    /// Consumes the rest of a table header, after its `[`.
    mutating func consumeTable() throws(ConnectionOverridesError) {
        guard let end = rest.firstIndex(of: "]") else { throw error("']' is missing") }
        let name = String(rest[..<end]).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard name == "metered" else { throw error("unknown table [\(name)]; the only table is [metered]") }
        rest = rest[rest.index(after: end)...]
        try consumeEnd()
    }

    /// Consumes text in double quotes, or a bare word of letters, digits, `-`, and `_`.
    ///
    /// - Parameter what: The name of the text in error messages.
    mutating func consumeString(called what: String) throws(ConnectionOverridesError) -> String {
        guard consume("\"") else { return try consumeWord(called: what) }
        var text = String.UnicodeScalarView()
        while let next = rest.popFirst() {
            switch next {
            case "\"": return String(text)
            case "\\": text.append(try consumeEscape())
            case _ where next.value < 0x20 && next != "\t": throw error("\(what) contains a control character")
            default: text.append(next)
            }
        }
        throw error("the closing quote of \(what) is missing")
    }

    /// Requires that only a comment or nothing is left.
    mutating func consumeEnd() throws(ConnectionOverridesError) {
        skipBlanks()
        guard isAtEnd else { throw error("unexpected '\(String(rest))' at the end of the line") }
    }

    private mutating func consumeWord(called what: String) throws(ConnectionOverridesError) -> String {
        let word = rest.prefix { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) || scalar == "-"
                || scalar == "_"
        }
        guard !word.isEmpty else { throw error("\(what) is missing; write it in double quotes") }
        rest = rest[word.endIndex...]
        return String(word)
    }

    private mutating func consumeEscape() throws(ConnectionOverridesError) -> Unicode.Scalar {
        switch rest.popFirst() {
        case "\"": return "\""
        case "\\": return "\\"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u":
            let digits = String(rest.prefix(4))
            guard digits.unicodeScalars.count == 4, let value = UInt32(digits, radix: 16),
                let scalar = Unicode.Scalar(value)
            else { throw error("\\u must be followed by four hexadecimal digits") }
            rest.removeFirst(4)
            return scalar
        case let other:
            throw error(
                "\\\(other.map { String($0) } ?? "") is not a valid escape; use \\\" \\\\ \\n \\r \\t or \\uXXXX")
        }
    }

    private func error(_ problem: String) -> ConnectionOverridesError {
        ConnectionOverridesError(line: number, problem: problem)
    }

    /// Returns text in double quotes, escaped so that it is read back unchanged.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
