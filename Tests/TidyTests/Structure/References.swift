// SPDX-License-Identifier: Apache-2.0

/// References from comments, messages, and documents to other documents and to rules.
enum References {
    /// Describes each mention of a document that is not among `all`, in a sentence.
    ///
    /// A document is mentioned by its name, such as `CONTRIBUTING.md`, or by the end of its path. Addresses on the web
    /// are left alone.
    static func missingDocuments(in files: [SourceFile], among all: [SourceFile]) -> [String] {
        let paths = all.map { "/" + $0.path }
        return mentions(of: #"[\w./:-]*[\w-]\.md\b"#, in: files).compactMap { place, document in
            if document.contains("://") { return nil }
            let name = document.replacing("../", with: "").drop { $0 == "/" || $0 == "." }
            return paths.contains { $0.hasSuffix("/" + name) } ? nil : "\(place): there is no document \(document)"
        }
    }

    /// Describes each mention of a rule that is not among `rules`, in a sentence.
    ///
    /// A rule is a letter of `letters` and a number, such as S2, in a comment, a document, or a test's title.
    static func unknownRules(in files: [SourceFile], letters: Set<Character>, rules: Set<String>) -> [String] {
        mentions(of: #"\b[A-Z][0-9]{1,2}\b"#, in: files).compactMap { place, rule in
            guard let letter = rule.first, letters.contains(letter), !rules.contains(String(rule)) else { return nil }
            return "\(place): there is no rule \(rule)"
        }
    }

    /// Finds the rules that `text` prints: the first words in bold of its list items and paragraphs, and of its tables.
    static func rules(in text: String) -> Set<String> {
        Set(text.matches(of: #/(?m)^(?:[-*#] *|\| *)?#* *\**([A-Z][0-9]{1,2})\b/#.onWords).map { String($0.1) })
    }

    /// Finds the matches of a pattern, with the path and the line of each.
    static func mentions(of pattern: String, in files: [SourceFile]) -> [(place: String, text: String)] {
        let pattern = Pattern(pattern)
        return files.flatMap { file in
            pattern.matches(in: file.text).map { match in
                let line = file.text.utf16.prefix(match.position).count { $0 == UInt16(UInt8(ascii: "\n")) } + 1
                return ("\(file.path):\(line)", match.groups[0])
            }
        }
    }
}
