// SPDX-License-Identifier: Apache-2.0

extension Regex {
    /// The regex with `\b` between a word and any other character. By default, `FileManager.default` is a single word
    /// (UAX 29).
    var onWords: Regex { wordBoundaryKind(.simple) }
}

/// A search that tells code from comments and strings, well enough for formatted code.
enum SwiftText {
    private static let texts = Pattern(##""""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/"##)

    /// Replaces each comment and each string literal by a space.
    static func code(of text: String) -> String { texts.replacing(in: text, with: " ") }
}
