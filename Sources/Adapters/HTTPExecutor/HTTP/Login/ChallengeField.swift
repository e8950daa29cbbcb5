// SPDX-License-Identifier: Apache-2.0

/// A challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct ChallengeField: Hashable, Sendable {
    /// The scheme in lowercase.
    var scheme: String
    /// The parameters, with names in lowercase and values without quotes. The first value of a repeated name counts.
    var parameters: [String: String] = [:]

    /// Returns every challenge in the value of a field, in order. Skips invalid parts.
    ///
    /// Commas separate both challenges and their parameters. An item that begins with a word and `=` belongs to the
    /// preceding challenge.
    static func all(in value: String) -> [ChallengeField] {
        var challenges: [ChallengeField] = []
        for item in items(of: value) {
            if let (name, value) = parameter(item[...]) {
                if let last = challenges.indices.last { challenges[last].add(name, value) }
                continue
            }
            let scheme = item.prefix(while: isToken)
            guard !scheme.isEmpty else { continue }
            var challenge = ChallengeField(scheme: String(scheme).lowercased())
            let rest = item.dropFirst(scheme.count)
            // A scheme must be followed by a blank. Otherwise the item is not a scheme, and the text after it
            // contains no parameters.
            guard rest.isEmpty || rest.first.map(isBlank) == true else { continue }
            // The supported schemes do not use a lone token (token68).
            if let (name, value) = parameter(rest.drop(while: isBlank)) { challenge.add(name, value) }
            challenges.append(challenge)
        }
        return challenges
    }

    private mutating func add(_ name: String, _ value: String) {
        if parameters[name] == nil { parameters[name] = value }
    }

    /// Splits the value at the commas outside quotes, and trims blanks.
    private static func items(of value: String) -> [[Character]] {
        var items: [[Character]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                items.append([])
                continue
            }
            items[items.count - 1].append(character)
        }
        return items.map { item in
            var trimmed = item[...].drop(while: isBlank)
            while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
            return Array(trimmed)
        }.filter { !$0.isEmpty }
    }

    /// Parses `name = value` or `name = "value"`. Returns `nil` for any other text.
    private static func parameter(_ text: ArraySlice<Character>) -> (name: String, value: String)? {
        let name = text.prefix(while: isToken)
        var rest = text.dropFirst(name.count).drop(while: isBlank)
        guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
        rest = rest.drop(while: isBlank)
        if rest.first == "\"" { return (String(name).lowercased(), unquoted(rest.dropFirst())) }
        let value = rest.prefix(while: isToken)
        // Mere padding, or more than a word, is the lone token of another scheme.
        guard !value.isEmpty, value.count == rest.count else { return nil }
        return (String(name).lowercased(), String(value))
    }

    private static func unquoted(_ text: ArraySlice<Character>) -> String {
        var result = ""
        var rest = text
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let escaped = rest.popFirst() {
                result.append(escaped)
            } else {
                result.append(character)
            }
        }
        return result
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }

    private static func isToken(_ character: Character) -> Bool {
        guard character.isASCII else { return false }
        return character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
    }
}
