// SPDX-License-Identifier: Apache-2.0

/// Rules for the language of doc comments.
enum Prose {
    /// The words with which a relative clause without a noun begins.
    private static let openings = [
        "What", "Who", "Whom", "Whose", "Where", "How", "When", "Why", "Which", "That", "Of which", "Of what", "Of how",
        "By what", "By which", "With what", "To what", "From what", "For what", "As much", "As far", "As long",
        "As many",
    ]

    /// Describes each line of a doc comment that begins with a relative clause, in a sentence.
    ///
    /// Continuation lines count, too: a reader's eye starts there as well.
    static func relativeClauses(in files: [SourceFile]) -> [String] {
        files.flatMap { file in
            file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
                let words = line.drop { $0 == " " }
                guard words.hasPrefix("/// ") else { return nil }
                let text = words.dropFirst(4)
                guard let opening = openings.first(where: { begins(text, with: $0) }) else { return nil }
                return "\(file.path):\(number + 1): begins with \"\(opening)\"; begin with the noun or the verb"
            }
        }
    }

    private static func begins(_ text: Substring, with opening: String) -> Bool {
        guard text.hasPrefix(opening) else { return false }
        guard let next = text.dropFirst(opening.count).first else { return true }
        return !next.isLetter && !next.isNumber
    }
}
