// SPDX-License-Identifier: Apache-2.0

extension Regex {
    /// The regex with `\b` between a word and any other character. By default, `FileManager.default` is a single word
    /// (UAX 29).
    var onWords: Regex { wordBoundaryKind(.simple) }
}

/// A scanner with just enough of Swift's grammar to tell code from comments and strings.
enum SwiftText {
    /// Replaces each character of comments and string literals by a space. Line breaks do not change.
    static func code(of text: String) -> String {
        var scanner = Scanner(Array(text.unicodeScalars))
        scanner.scan()
        var code = String.UnicodeScalarView()
        code.append(contentsOf: scanner.output)
        return String(code)
    }

    /// Returns the range from the `{` at or after `start` to its matching brace, or `nil` if there is none.
    static func braces(in code: [Character], from start: Int) -> Range<Int>? {
        guard let open = code[start...].firstIndex(of: "{") else { return nil }
        var depth = 0
        for index in open..<code.count {
            if code[index] == "{" { depth += 1 }
            if code[index] == "}" { depth -= 1 }
            if depth == 0 { return open..<index + 1 }
        }
        return nil
    }

    private struct Scanner {
        let input: [Unicode.Scalar]
        var output: [Unicode.Scalar] = []
        var position = 0

        init(_ input: [Unicode.Scalar]) { self.input = input }

        mutating func scan() {
            while position < input.count {
                if starts("//") {
                    blank { !$0.starts("\n") }
                } else if starts("/*") {
                    blankBlockComment()
                } else if let hashes = stringStart() {
                    blankString(hashes)
                } else {
                    output.append(input[position])
                    position += 1
                }
            }
        }

        func starts(_ text: String) -> Bool {
            let wanted = text.unicodeScalars
            guard position + wanted.count <= input.count else { return false }
            return zip(wanted, input[position...]).allSatisfy(==)
        }

        mutating func skip(_ count: Int = 1) {
            for scalar in input[position..<min(position + count, input.count)] {
                output.append(scalar == "\n" ? scalar : " ")
            }
            position = min(position + count, input.count)
        }

        mutating func blank(while condition: (Scanner) -> Bool) {
            while position < input.count, condition(self) { skip() }
        }

        mutating func blankBlockComment() {
            var depth = 0
            repeat {
                if starts("/*") {
                    depth += 1
                    skip(2)
                } else if starts("*/") {
                    depth -= 1
                    skip(2)
                } else {
                    skip()
                }
            } while depth > 0 && position < input.count
        }

        /// Counts the `#` before the quote of a string that begins here, or `nil` if no string begins here.
        func stringStart() -> Int? {
            var end = position
            while end < input.count, input[end] == "#" { end += 1 }
            return end < input.count && input[end] == "\"" ? end - position : nil
        }

        /// Blanks out a string, except for the code in its interpolations.
        mutating func blankString(_ hashes: Int) {
            let marks = String(repeating: "#", count: hashes)
            skip(hashes)
            let quote = starts("\"\"\"") ? "\"\"\"" : "\""
            skip(quote.count)
            while position < input.count, !starts(quote + marks) {
                if starts("\\" + marks + "(") {
                    skip(hashes + 2)
                    scanInterpolation()
                } else if starts("\\" + marks) {
                    skip(hashes + 2)
                } else if quote.count == 1, starts("\n") {
                    return
                } else {
                    skip()
                }
            }
            skip(quote.count + hashes)
        }

        mutating func scanInterpolation() {
            var depth = 1
            while position < input.count {
                if let hashes = stringStart() {
                    blankString(hashes)
                    continue
                }
                if starts("(") { depth += 1 }
                if starts(")") { depth -= 1 }
                if depth == 0 { return skip() }
                output.append(input[position])
                position += 1
            }
        }
    }
}
