// SPDX-License-Identifier: Apache-2.0

/// A declaration of a type, or of a member of a type, in Swift code. Variables inside functions are none.
struct Declaration: Hashable, Sendable {
    /// The kinds of declarations that are found.
    enum Kind: Hashable, Sendable {
        /// A structure, class, enumeration, actor, protocol, or type alias.
        case type
        /// An extension. Its name is that of the type, such as `A.B`.
        case `extension`
        /// A property, function, initializer, or subscript.
        case member
        /// A case of an enumeration.
        case enumerationCase
    }

    var kind: Kind
    /// The name alone, such as `Kind`; `init` or `subscript` if the member has no name.
    var name: String
    /// The names of the types around the declaration, outermost first, joined by dots. Empty at the top of a file.
    var owner: String
    /// Whether the declaration is `private` or `fileprivate`.
    var isPrivate = false
    /// Whether the declaration is a function with a name.
    var isFunction = false
    /// The line in the file, from 1.
    var line: Int

    /// The name with the names of the types around the declaration.
    var qualifiedName: String { owner.isEmpty ? name : "\(owner).\(name)" }

    private static let types: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let members: Set<Substring> = ["var", "let", "func", "init", "subscript"]
    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "private", "fileprivate", "open", "static", "final", "indirect", "mutating",
        "nonmutating", "override", "lazy", "weak", "unowned", "nonisolated", "distributed", "borrowing", "consuming",
        "isolated", "required", "convenience", "class",
    ]

    /// Finds the declarations in `code`, which holds no comments or strings (see ``SwiftText/code(of:)``).
    ///
    /// Only the first of several declarations on a line counts, except for cases of an enumeration.
    static func all(in code: String) -> [Declaration] {
        var found: [Declaration] = []
        var open: [(name: String, depth: Int)] = []
        // A type whose brace comes on a later line.
        var pending: String?
        var depth = 0
        for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let isDirect = open.last.map { depth == $0.depth + 1 } ?? (depth == 0)
            let declared = isDirect ? declarations(in: line, owner: open.last?.name ?? "", line: index + 1) : []
            found += declared
            if let type = declared.first, type.kind == .type || type.kind == .extension, !line.contains("typealias ") {
                pending = type.qualifiedName
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
        return found
    }

    private static func declarations(in line: Substring, owner: String, line number: Int) -> [Declaration] {
        let (words, isPrivate) = keyword(in: line)
        guard let first = words.first else { return [] }
        let rest = words.dropFirst()
        func declaration(_ kind: Kind, _ name: some StringProtocol, in owner: String) -> Declaration {
            Declaration(kind: kind, name: String(name), owner: owner, isPrivate: isPrivate, line: number)
        }
        if first == "extension" {
            return rest.first.map { [declaration(.extension, identifier($0, with: "."), in: "")] } ?? []
        }
        if types.contains(first) { return rest.first.map { [declaration(.type, identifier($0), in: owner)] } ?? [] }
        let word = first.prefix { $0.isLetter }
        if members.contains(word) {
            let name = ["init", "subscript"].contains(word) ? word : rest.first.map { identifier($0) } ?? ""
            var member = declaration(.member, name, in: owner)
            member.isFunction = word == "func"
            return [member]
        }
        guard first == "case", !owner.isEmpty else { return [] }
        return cases(in: rest.joined(separator: " ")).map { declaration(.enumerationCase, $0, in: owner) }
    }

    /// The names in a list of cases, without what is in parentheses.
    private static func cases(in list: String) -> [Substring] {
        var depth = 0
        let outside = list.filter { character in
            if character == "(" { depth += 1 }
            defer { if character == ")" { depth -= 1 } }
            return depth == 0
        }
        return outside.split(separator: ",").map { identifier($0.drop { $0 == " " }) }
    }

    private static func identifier(_ word: Substring, with more: Character? = nil) -> Substring {
        word.drop { $0 == "`" }.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == more }
    }

    /// The words of a line from the keyword of a declaration on, without attributes and modifiers.
    private static func keyword(in line: Substring) -> (words: ArraySlice<Substring>, isPrivate: Bool) {
        var words = line.split(whereSeparator: \.isWhitespace)[...]
        var isPrivate = false
        while let first = words.first {
            if first.hasPrefix("@") {
                if first.contains("("), !first.contains(")") { words = words.drop { !$0.contains(")") } }
                words = words.dropFirst()
            } else if modifiers.contains(first.prefix { $0.isLetter }), words.count > 1 {
                // `class` is a modifier before `func` and `var` only.
                if first == "class", !["func", "var"].contains(words[words.startIndex + 1]) { break }
                if first == "private" || first == "fileprivate" { isPrivate = true }
                words = words.dropFirst()
            } else {
                break
            }
        }
        return (words, isPrivate)
    }
}
