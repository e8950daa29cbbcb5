// SPDX-License-Identifier: Apache-2.0

/// The sizes that a reader can take in: members of a type, and files of a folder.
enum TypeSizes {
    /// The maximum number of members of a type, across all of its extensions.
    static let mostMembers = 40
    /// The maximum number of source files side by side in a folder.
    static let mostFiles = 20

    private static let types: Set<Substring> = ["struct", "class", "enum", "actor", "extension", "protocol"]
    private static let members: Set<Substring> = ["var", "let", "func", "init", "subscript"]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "final", "indirect", "mutating",
        "nonmutating", "override", "lazy", "weak", "unowned", "nonisolated", "distributed", "borrowing", "consuming",
        "isolated", "required", "convenience", "class",
    ]

    /// Describes each type that has too many members, in a sentence.
    static func tooLarge(in files: [SourceFile]) -> [String] {
        counts(in: files).filter { $0.value > mostMembers }.map { name, count in
            "\(name): \(count) members; find its second subject and give that a type of its own"
        }.sorted()
    }

    /// Describes each folder that has too many source files, in a sentence.
    static func crowded(in files: [SourceFile]) -> [String] {
        let folders = files.filter { ["swift", "c", "h"].contains($0.kind) }.map { $0.folders.joined(separator: "/") }
        return Dictionary(grouping: folders) { $0 }.filter { $0.value.count > mostFiles }.map { folder, all in
            "\(folder): \(all.count) files; sort them into folders by subject"
        }.sorted()
    }

    /// The number of properties, functions, initializers, and subscripts of each type, by its name with the names of the
    /// types around it. Members of nested types do not count.
    static func counts(in files: [SourceFile]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for file in files { count(file.code, into: &counts) }
        return counts
    }

    private static func count(_ code: String, into counts: inout [String: Int]) {
        var open: [(name: String, depth: Int)] = []
        // A declaration whose brace comes on a later line.
        var pending: String?
        var depth = 0
        for line in code.split(separator: "\n") {
            let words = declaration(in: line)
            if let first = words.first, types.contains(first), words.count > 1 {
                let name = words[words.startIndex + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
                let isExtension = first == "extension"
                pending = isExtension ? String(name) : (open.last.map { $0.name + "." } ?? "") + name
            } else if let last = open.last, depth == last.depth + 1, let first = words.first,
                members.contains(first.prefix { $0.isLetter })
            {
                counts[last.name, default: 0] += 1
            }
            for character in line.utf8 {
                if character == UInt8(ascii: "{") {
                    if let name = pending {
                        open.append((name, depth))
                        pending = nil
                    }
                    depth += 1
                } else if character == UInt8(ascii: "}") {
                    depth -= 1
                    if let last = open.last, depth <= last.depth { open.removeLast() }
                }
            }
        }
    }

    /// The words of a line from the keyword of a declaration on, without attributes and modifiers.
    private static func declaration(in line: Substring) -> ArraySlice<Substring> {
        var words = line.split(whereSeparator: \.isWhitespace)[...]
        while let first = words.first {
            if first.hasPrefix("@") {
                if first.contains("("), !first.contains(")") { words = words.drop { !$0.contains(")") } }
                words = words.dropFirst()
            } else if modifiers.contains(first.prefix { $0.isLetter }), words.count > 1 {
                // `class` is a modifier before `func` and `var` only.
                if first == "class", !["func", "var"].contains(words[words.startIndex + 1]) { return words }
                words = words.dropFirst()
            } else {
                return words
            }
        }
        return words
    }
}
