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

    /// The document as text, indented by two spaces a level.
    public var document: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int) {
        let inner = String(repeating: " ", count: indent + 2)
        let outer = String(repeating: " ", count: indent)
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .whole(let value): text += "\(value)"
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .text(let value): Self.write(value, to: &text)
        case .list(let values):
            guard !values.isEmpty else { return text += "[]" }
            text += "[\n"
            for (index, value) in values.enumerated() {
                text += inner
                value.write(to: &text, indent: indent + 2)
                text += index + 1 < values.count ? ",\n" : "\n"
            }
            text += outer + "]"
        case .object(let pairs):
            guard !pairs.isEmpty else { return text += "{}" }
            text += "{\n"
            for (index, pair) in pairs.enumerated() {
                text += inner
                Self.write(pair.key, to: &text)
                text += ": "
                pair.value.write(to: &text, indent: indent + 2)
                text += index + 1 < pairs.count ? ",\n" : "\n"
            }
            text += outer + "}"
        }
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
