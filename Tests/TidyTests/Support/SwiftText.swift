// SPDX-License-Identifier: Apache-2.0

extension Regex {
    /// The regex with `\b` between a word and any other character. By default, `FileManager.default` is a single word
    /// (UAX 29).
    var onWords: Regex { wordBoundaryKind(.simple) }
}

/// A scanner with just enough of Swift's grammar to tell code from comments and strings.
enum SwiftText {
    /// Replaces each byte of comments and string literals by a space. Line breaks do not change.
    static func code(of text: String) -> String {
        var scanner = Scanner(input: Array(text.utf8))
        scanner.scan()
        return String(decoding: scanner.output, as: UTF8.self)
    }

    /// Returns the range from the `{` at or after `start` to its matching brace, or `nil` if there is none.
    static func braces(in code: [UInt8], from start: Int) -> Range<Int>? {
        guard let open = code[start...].firstIndex(of: UInt8(ascii: "{")) else { return nil }
        var depth = 0
        for index in open..<code.count {
            if code[index] == UInt8(ascii: "{") { depth += 1 }
            if code[index] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return open..<index + 1 }
        }
        return nil
    }

    /// Works on bytes without calls of generic code, which take most of the time in a build for tests.
    private struct Scanner {
        let input: [UInt8]
        var output: [UInt8] = []
        var position = 0

        private static let (newline, space, quote, backslash) = (UInt8(10), UInt8(32), UInt8(34), UInt8(92))
        private static let (hash, slash, star) = (UInt8(35), UInt8(47), UInt8(42))
        private static let (open, close) = (UInt8(40), UInt8(41))

        init(input: [UInt8]) {
            self.input = input
            output.reserveCapacity(input.count)
        }

        mutating func scan() {
            while position < input.count {
                let byte = input[position]
                if byte == Self.slash, next(1) == Self.slash {
                    while position < input.count, input[position] != Self.newline { skip(1) }
                } else if byte == Self.slash, next(1) == Self.star {
                    blankBlockComment()
                } else if byte == Self.quote || byte == Self.hash, let hashes = stringStart() {
                    blankString(hashes)
                } else {
                    output.append(byte)
                    position += 1
                }
            }
        }

        func next(_ distance: Int) -> UInt8? {
            position + distance < input.count ? input[position + distance] : nil
        }

        /// Returns whether `count` bytes from `distance` on are the byte.
        func has(_ count: Int, _ byte: UInt8, at distance: Int) -> Bool {
            var index = 0
            while index < count {
                guard next(distance + index) == byte else { return false }
                index += 1
            }
            return true
        }

        mutating func skip(_ count: Int) {
            let end = min(position + count, input.count)
            while position < end {
                output.append(input[position] == Self.newline ? Self.newline : Self.space)
                position += 1
            }
        }

        mutating func blankBlockComment() {
            var depth = 0
            repeat {
                if input[position] == Self.slash, next(1) == Self.star {
                    depth += 1
                    skip(2)
                } else if input[position] == Self.star, next(1) == Self.slash {
                    depth -= 1
                    skip(2)
                } else {
                    skip(1)
                }
            } while depth > 0 && position < input.count
        }

        /// Counts the `#` before the quote of a string that begins here, or `nil` if no string begins here.
        func stringStart() -> Int? {
            var hashes = 0
            while next(hashes) == Self.hash { hashes += 1 }
            return next(hashes) == Self.quote ? hashes : nil
        }

        /// Blanks out a string, except for the code in its interpolations.
        mutating func blankString(_ hashes: Int) {
            skip(hashes)
            let quotes = has(3, Self.quote, at: 0) ? 3 : 1
            skip(quotes)
            while position < input.count {
                let byte = input[position]
                if byte == Self.quote, has(quotes, Self.quote, at: 0), has(hashes, Self.hash, at: quotes) { break }
                if byte == Self.backslash, has(hashes, Self.hash, at: 1) {
                    let isInterpolation = next(1 + hashes) == Self.open
                    skip(hashes + 2)
                    if isInterpolation { scanInterpolation() }
                } else if quotes == 1, byte == Self.newline {
                    return
                } else {
                    skip(1)
                }
            }
            skip(quotes + hashes)
        }

        mutating func scanInterpolation() {
            var depth = 1
            while position < input.count {
                let byte = input[position]
                if byte == Self.quote || byte == Self.hash, let hashes = stringStart() {
                    blankString(hashes)
                    continue
                }
                if byte == Self.open { depth += 1 }
                if byte == Self.close { depth -= 1 }
                if depth == 0 { return skip(1) }
                output.append(byte)
                position += 1
            }
        }
    }
}
