// SPDX-License-Identifier: Apache-2.0

/// Words that this project no longer uses, because another word stands for the same concept everywhere.
///
/// The glossary of TransferModel's documentation lists the words that replace them.
enum RetiredWords {
    /// A retired word or sequence of words in names, lowercase, with its replacement. `gate`, once used for admission
    /// control, is now the gate of a systemd unit.
    static let inNames: [(words: [Substring], instead: String)] = [
        ("shelf", "ready queue"), ("bucket", "concurrency group, or token bucket"), ("lane", "concurrency group"),
        ("misfit", "blocked by size or window"), ("parked", "blocked"), ("sheltered", "non-preemptible"),
        ("mood", "policy state key"), ("stage", "phase"), ("stages", "phases"), ("dwell", "debounce"),
        ("grace", "hysteresis"), ("settling", "debounce"), ("look again", "reevaluate"), ("drain", "staggered start"),
        ("assessment", "policy evaluator"), ("moment", "clock reading"),
        ("learned", "persisted statistics"), ("finding", "observation"), ("sureness", "confidence"),
        ("book", "registry"), ("ledger", "deduplicator or registry"), ("keeper", "cache"), ("outlet", "sink"),
        ("gathering", "group-commit window"), ("session repair", "session interposer"), ("leftovers", "orphaned files"),
        ("finisher", "finalizer"), ("rig", "fixture or harness"), ("bench", "fixture or harness"), ("trial", "test"),
        ("dice", "generator"), ("scene", "environment"), ("soak", "stress test"), ("steer", "control"),
        ("steering", "control"), ("deed", "action"), ("tell", "notify or report"), ("told", "notified or reported"),
        ("hand over", "submit"), ("handed over", "submitted"), ("is over", "is finished"),
    ].map { words, instead in (words.split(separator: " "), instead) }

    /// A retired verb at the start of a function's name, with its replacement.
    static let verbs = [
        "tell": "notify or report", "note": "record", "take": "accept, remove, or claim", "look": "evaluate or read",
        "steer": "control", "deal": "handle",
    ]

    /// A phrase that no comment, document, or message contains, lowercase, with its replacement.
    static let inProse: [(phrase: String, instead: String)] = [
        ("handed over", "submitted"), ("hand over", "submit"), ("hands over", "submits"),
        ("look again", "reevaluate"), ("looks again", "reevaluates"), ("comes round", "recovers"),
        ("anew", "again"), ("for who ", "for whoever, or name them"), ("as far as that", "name the condition"),
        ("nobody's", "without a user, or name the owner"), ("the mood", "the policy state key"),
        ("is told once", "is reported once"),
    ]

    /// Describes each retired word in the names of types, members, files, and folders, in a sentence.
    static func names(in files: [SourceFile]) -> [String] {
        var found = files.flatMap { file in
            file.path.split { "/+.".contains($0) }.compactMap { retired(in: $0) }.map { "\(file.path): \($0)" }
        }
        for file in files where file.kind == "swift" {
            for declaration in Declaration.all(in: file.code) {
                guard declaration.kind != .extension,
                    let fault = retired(in: declaration.name) ?? retiredVerb(of: declaration)
                else { continue }
                found.append("\(file.path):\(declaration.line): \(declaration.name): \(fault)")
            }
        }
        return found
    }

    /// Describes each retired phrase in comments, documents, and messages, in a sentence.
    static func prose(in files: [SourceFile]) -> [String] {
        files.filter { ["swift", "c", "h", "md", "html", "yml", "toml", ""].contains($0.kind) }.flatMap { file in
            file.text.lowercased().split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap {
                number, line in
                inProse.filter { line.contains($0.phrase) && isWhole($0.phrase, in: line) }.map {
                    "\(file.path):\(number + 1): \"\($0.phrase)\"; write \($0.instead)"
                }
            }
        }
    }

    /// Returns the words of a name in camel case, in lowercase: `isHandedOver` is "is", "handed", "over".
    static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = []
        let letters = Array(name)
        for (index, letter) in letters.enumerated() {
            guard letter.isLetter else {
                words.append("")
                continue
            }
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            let begins =
                index == 0 || letter.isUppercase && (!letters[index - 1].isUppercase || next?.isLowercase == true)
            if begins { words.append("") }
            words[words.count - 1] += letter.lowercased()
        }
        return words.filter { !$0.isEmpty }
    }

    private static func retired(in name: some StringProtocol) -> String? {
        let words = words(of: name)
        return inNames.first { rule in
            words.indices.contains { index in
                index + rule.words.count <= words.count
                    && zip(rule.words, words[index...]).allSatisfy { $0 == $1 }
            }
        }.map { "\"\($0.words.joined(separator: " "))\" is retired; use \($0.instead)" }
    }

    private static func retiredVerb(of declaration: Declaration) -> String? {
        guard declaration.isFunction, let verb = words(of: declaration.name).first, let instead = verbs[verb] else {
            return nil
        }
        return "\"\(verb)\" is retired as a verb; use \(instead)"
    }

    private static func isWhole(_ phrase: String, in line: Substring) -> Bool {
        line.ranges(of: phrase).contains { range in
            let before = line[..<range.lowerBound].last
            let after = line[range.upperBound...].first
            return before?.isLetter != true && (phrase.last == " " || after?.isLetter != true)
        }
    }
}
