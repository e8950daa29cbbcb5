// SPDX-License-Identifier: Apache-2.0

/// Numbers in public interfaces whose unit neither their name nor their comment states.
enum Quantities {
    /// The words that state a unit, or that the number counts, identifies, or orders something.
    private static let units: Set<Substring> = [
        "byte", "bytes", "megabytes", "phase", "stage", "second", "seconds", "millisecond", "milliseconds",
        "microsecond", "microseconds",
        "nanosecond", "nanoseconds", "minute", "minutes", "hour", "hours", "day", "days", "week", "weeks", "year",
        "years", "percent", "fraction", "ratio", "share", "number", "count", "index", "position", "unit", "units",
        "point", "points", "id", "identifier", "port", "status", "code", "signal", "descriptor", "errno", "uid", "pid",
        "mode", "seed", "version", "revision", "bits", "line", "column", "priority", "level", "weight", "times", "at",
        "from", "unix", "hash", "slope", "shape", "cost", "sum", "value", "inode", "device", "elements",
    ]
    /// The forms of a declaration that count. A value for each file, since regexes cannot be shared among threads.
    private struct Patterns {
        private static let modifiers = "static|final|class|mutating|override|nonisolated|lazy|required|convenience"
        private static let number = #"(?:U?Int(?:8|16|32|64)?|Double|Float)\b(?!\.)"#

        let declaration: Regex<(Substring, Substring)>
        let property: Regex<(Substring, Substring)>
        let argument: Regex<(Substring, Substring, Substring?)>
        let result: Regex<Substring>

        init() throws {
            declaration = try Regex(
                #"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?:(?:\#(Self.modifiers)|\w+\(set\))\s+)*"#
                    + #"(var|let|func|init|subscript)\b"#
            ).onWords
            property = try Regex(#"\b(?:var|let)\s+(\w+)\s*:\s*\#(Self.number)"#).onWords
            argument = try Regex(#"(\w+)(?:\s+(\w+))?\s*:\s*\#(Self.number)"#).onWords
            result = try Regex(#"->\s*\#(Self.number)"#).onWords
        }
    }

    /// Describes each public number without a unit, in a sentence.
    ///
    /// A parameter of an initializer that has the name of a property is documented there.
    static func withoutUnit(in files: [SourceFile]) throws -> [String] {
        let patterns = try Patterns()
        return files.flatMap { file -> [String] in
            let text = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            let code = file.code.split(separator: "\n", omittingEmptySubsequences: false)
            let properties = Set(code.compactMap { $0.firstMatch(of: patterns.property)?.1 })
            return code.indices.flatMap { index -> [String] in
                guard code[index].contains("public") || code[index].contains("open"),
                    let match = code[index].firstMatch(of: patterns.declaration)
                else { return [] }
                let signature = signature(from: index, in: code)
                var numbers: [Substring]
                switch match.1 {
                case "var", "let": numbers = signature.firstMatch(of: patterns.property).map { [$0.1] } ?? []
                default:
                    numbers = signature.matches(of: patterns.argument).map { $0.2 ?? $0.1 }
                    if match.1 == "init" { numbers.removeAll { properties.contains($0) } }
                    if signature.contains(patterns.result) { numbers.append(signature.prefix { $0 != "(" }) }
                }
                let comment = comment(above: index, in: text)
                return numbers.filter { !statesUnit(comment) && !statesUnit(RetiredWords.words(of: $0)) }.map {
                    "\(file.path):\(index + 1): \($0.trimmedWords) has no unit; say bytes, seconds, or what it counts"
                }
            }
        }
    }

    /// The declaration from its first line to the end of its parameters.
    private static func signature(from index: Int, in code: [Substring]) -> Substring {
        var all = ""
        for line in code[index...] {
            all += line + " "
            if all.count(where: { $0 == "(" }) <= all.count(where: { $0 == ")" }) { break }
        }
        return all[...]
    }

    private static func comment(above index: Int, in text: [Substring]) -> [String] {
        let lines = text[..<index].reversed().map { $0.drop { $0 == " " } }.prefix {
            $0.hasPrefix("///") || $0.hasPrefix("@")
        }
        return lines.flatMap { $0.lowercased().split { !$0.isLetter }.map(String.init) }
    }

    private static func statesUnit(_ words: [String]) -> Bool { words.contains { units.contains($0[...]) } }
}

extension Substring {
    fileprivate var trimmedWords: String { split(separator: " ").joined(separator: " ") }
}
