// SPDX-License-Identifier: Apache-2.0

/// A D-Bus value with its exact wire type. Invalid and hostile values are possible.
///
/// `GLibBridge.VariantValue` cannot represent duplicate keys, nested `NaN` values, or numbers of other widths.
/// Hostile callers can send all of them.
package indirect enum WireValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case path(String)
    case signature(String)
    /// An index into the descriptors that accompany the message.
    case handle(UInt32)
    case variant(WireValue)
    /// An array. The element's signature is explicit because the array may be empty.
    case array(of: String, [WireValue])
    case structure([WireValue])
    /// An entry of a dictionary, which is an array of entries. Duplicate keys are allowed.
    case entry(WireValue, WireValue)

    /// Creates a dictionary of type `a{sv}` with its entries in order.
    package static func dictionary(_ entries: [(String, WireValue)]) -> WireValue {
        .array(of: "{sv}", entries.map { .entry(.string($0.0), .variant($0.1)) })
    }

    /// Creates an array of strings, `as`.
    package static func texts(_ texts: [String]) -> WireValue { .array(of: "s", texts.map(WireValue.string)) }

    /// The D-Bus signature of the value's type.
    package var typeSignature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .handle: "h"
        case .variant: "v"
        case .array(let element, _): "a" + element
        case .structure(let members): "(" + members.map(\.typeSignature).joined() + ")"
        case .entry(let key, let value): "{" + key.typeSignature + value.typeSignature + "}"
        }
    }

    /// The text of a string, a path, or a signature, looking through a variant. `nil` for other types.
    package var text: String? {
        switch self {
        case .string(let text), .path(let text), .signature(let text): text
        case .variant(let inner): inner.text
        default: nil
        }
    }

    /// The value of an `int64` or a `uint32`, looking through a variant. `nil` for other types.
    package var number: Int64? {
        switch self {
        case .int64(let number): number
        case .uint32(let number): Int64(number)
        case .variant(let inner): inner.number
        default: nil
        }
    }

    /// The members of an array or a structure, looking through a variant. Empty for other types.
    package var members: [WireValue] {
        switch self {
        case .array(_, let members), .structure(let members): members
        case .variant(let inner): inner.members
        default: []
        }
    }

    /// Returns the value of a dictionary key without its variant, or `nil` if the key is missing.
    package subscript(key: String) -> WireValue? {
        for case .entry(let name, let value) in members where name.text == key {
            if case .variant(let inner) = value { return inner }
            return value
        }
        return nil
    }
}

extension WireValue: CustomStringConvertible {
    /// A short text form for logs. Strings are cut after 120 characters and arrays after 40 members.
    package var description: String {
        switch self {
        case .byte(let number): "\(number)y"
        case .boolean(let flag): "\(flag)"
        case .int16(let number): "\(number)n"
        case .uint16(let number): "\(number)q"
        case .int32(let number): "\(number)i"
        case .uint32(let number): "\(number)u"
        case .int64(let number): "\(number)"
        case .uint64(let number): "\(number)t"
        case .double(let number): "\(number)d"
        case .string(let text): Self.shown(text)
        case .path(let text): "path \(Self.shown(text))"
        case .signature(let text): "signature \(Self.shown(text))"
        case .handle(let index): "fd \(index)"
        case .variant(let inner): "<\(inner)>"
        case .array(let element, let members):
            "a\(element) [\(members.prefix(40).map(\.description).joined(separator: ", "))"
                + (members.count > 40 ? ", … \(members.count)]" : "]")
        case .structure(let members): "(\(members.map(\.description).joined(separator: ", ")))"
        case .entry(let key, let value): "\(key): \(value)"
        }
    }

    private static func shown(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(120).map { $0.escaped(asASCII: true) }.joined()
        let count = text.utf8.count
        return count > 120 ? "'\(start)…' (\(count) bytes)" : "'\(start)'"
    }
}
