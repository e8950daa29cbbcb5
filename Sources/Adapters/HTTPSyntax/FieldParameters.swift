// SPDX-License-Identifier: Apache-2.0

/// The parameters of a header field, such as the `charset` of `text/html; charset="utf-8"`.
///
/// Accepts the forms that servers send and browsers accept.
package struct FieldParameters {
    /// The parameters in their order, with names in lowercase.
    let all: [(name: String, value: String)]

    /// Parses a field, which may begin with a value of its own.
    package init(_ field: String) {
        var parameters: [(String, String)] = []
        var rest = field[...]
        while !rest.isEmpty {
            rest = rest.drop { $0.isWhitespace || $0 == ";" }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            let value = Self.value(&rest)
            // Some servers separate the first parameter by a space only.
            parameters.append((name.split(whereSeparator: \.isWhitespace).last?.lowercased() ?? "", value))
        }
        all = parameters
    }

    /// The values of all parameters with a name in lowercase.
    package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

    /// Parses a value: a quoted string, or the text up to the next semicolon.
    private static func value(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(value.count)
            return String(value)
        }
        var value = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst(), character != "\"" {
            // Before any other character, a backslash is part of an incorrectly quoted Windows path.
            let isEscape = character == "\\" && (rest.first == "\"" || rest.first == "\\")
            value.append(isEscape ? rest.popFirst() ?? character : character)
        }
        rest = rest.drop { $0 != ";" }
        return value
    }
}
