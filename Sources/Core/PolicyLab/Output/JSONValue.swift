// SPDX-License-Identifier: Apache-2.0

/// A JSON document to write. Keys keep their order, so that equal results produce equal bytes.
///
/// ```swift
/// let document = JSONValue.object([.init("policy", .text("strict")), .init("late_share", .number(0.25))])
/// print(document.document)
/// ```
public indirect enum JSONValue: Hashable, Sendable {
    /// An unknown value.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A whole number.
    case whole(Int)
    /// A number. A number that is not finite is written as `null`.
    case number(Double)
    /// A string.
    case text(String)
    /// An array.
    case list([JSONValue])
    /// An object, with its keys in order.
    case object([Pair])

    /// A key with its value.
    public struct Pair: Hashable, Sendable {
        /// The key of the value.
        public var key: String
        /// The value of the key.
        public var value: JSONValue

        /// Creates a pair.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// Returns a number, or ``null`` if the number is `nil`.
    public static func optional(_ number: Double?) -> JSONValue { number.map { .number($0) } ?? .null }

    /// Returns a number with at most three decimal places, which is finer than any screen.
    static func rounded(_ number: Double) -> JSONValue { .number((number * 1000).rounded() / 1000) }

    /// Returns an array of strings.
    static func texts(_ texts: [String]) -> JSONValue { .list(texts.map { .text($0) }) }

    /// Returns an array of pairs of strings.
    static func pairs(_ pairs: [(String, String)]) -> JSONValue { .list(pairs.map { .texts([$0, $1]) }) }

    /// Returns an object with one number per cost class, under the names of the classes.
    static func byClass(_ values: [Double]) -> JSONValue {
        .object(CostClass.allCases.map { .init($0.name, .number(values[$0.rawValue])) })
    }

    /// The document as text, indented by two spaces per level, with a newline at the end.
    public var document: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .whole(let value): text += "\(value)"
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .text(let value): Self.write(value, to: &text)
        case .list(let values):
            Self.write(values, between: "[]", to: &text, indent: indent) { value, text in
                value.write(to: &text, indent: indent + 2)
            }
        case .object(let pairs):
            Self.write(pairs, between: "{}", to: &text, indent: indent) { pair, text in
                Self.write(pair.key, to: &text)
                text += ": "
                pair.value.write(to: &text, indent: indent + 2)
            }
        }
    }

    /// Writes each element on its own line.
    private static func write<Element>(
        _ elements: [Element], between brackets: String, to text: inout String, indent: Int,
        _ body: (Element, inout String) -> Void
    ) {
        guard !elements.isEmpty else { return text += brackets }
        text += "\(brackets.prefix(1))\n"
        for (index, element) in elements.enumerated() {
            text += String(repeating: " ", count: indent + 2)
            body(element, &text)
            text += index + 1 < elements.count ? ",\n" : "\n"
        }
        text += String(repeating: " ", count: indent) + brackets.suffix(1)
    }

    private static func write(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        text += "\""
    }
}

extension JSONValue: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .list(elements) }

    /// Creates an object, with its keys in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { Pair($0, $1) })
    }
}
