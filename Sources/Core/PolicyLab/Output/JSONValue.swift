// SPDX-License-Identifier: Apache-2.0

/// A JSON document to be written: keys keep their order, so that the same results give the same bytes.
public indirect enum JSONValue: Hashable, Sendable {
    /// Nothing is known.
    case null
    /// Yes or no.
    case bool(Bool)
    /// A whole number.
    case whole(Int)
    /// A number; one that is not finite is written as null.
    case number(Double)
    /// Text.
    case text(String)
    /// Values in order.
    case list([JSONValue])
    /// Values by key, in order.
    case object([Pair])

    /// A key with its value.
    public struct Pair: Hashable, Sendable {
        /// The key.
        public var key: String
        /// Its value.
        public var value: JSONValue

        /// A pair.
        public init(_ key: String, _ value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// A number, or null where there is none.
    public static func optional(_ number: Double?) -> JSONValue { number.map { .number($0) } ?? .null }

    /// Numbers by the names of the classes of cost.
    static func byClass(_ values: [Double]) -> JSONValue {
        .object(CostClass.allCases.map { .init($0.name, .number(values[$0.rawValue])) })
    }

    /// The document as text, indented by two spaces a level.
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

    /// Writes elements a line each.
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
