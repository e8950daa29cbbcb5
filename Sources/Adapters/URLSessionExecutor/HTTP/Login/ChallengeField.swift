// SPDX-License-Identifier: Apache-2.0

/// One challenge of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct ChallengeField: Hashable, Sendable {
    /// The scheme in lower case.
    var scheme: String
    /// The parameters, names in lower case, values unquoted; of a name that comes twice the first counts.
    var parameters: [String: String] = [:]

    /// Every challenge in the value of a field, in order; what makes no sense is left out.
    ///
    /// Commas divide both challenges and their parameters: what begins with a word and `=` belongs to the challenge before.
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
            // Something else than a blank after the word: no scheme at all. What follows would not be its parameters.
            guard rest.isEmpty || rest.first.map(isBlank) == true else { continue }
            // A lone token (token68) is of no use to the schemes that are known here.
            if let (name, value) = parameter(rest.drop(while: isBlank)) { challenge.add(name, value) }
            challenges.append(challenge)
        }
        return challenges
    }

    private mutating func add(_ name: String, _ value: String) {
        if parameters[name] == nil { parameters[name] = value }
    }

    /// The parts between commas outside quotes, without blanks around them.
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

    /// `name = value` or `name = "value"`; nil for anything else.
    private static func parameter(_ text: ArraySlice<Character>) -> (name: String, value: String)? {
        let name = text.prefix(while: isToken)
        var rest = text.dropFirst(name.count).drop(while: isBlank)
        guard !name.isEmpty, rest.popFirst() == "=" else { return nil }
        rest = rest.drop(while: isBlank)
        if rest.first == "\"" { return (String(name).lowercased(), unquoted(rest.dropFirst())) }
        let value = rest.prefix(while: isToken)
        // Only padding, or more than a word: the lone token of another scheme.
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
