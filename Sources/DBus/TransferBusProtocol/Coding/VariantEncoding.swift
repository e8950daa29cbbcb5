// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferModel

/// An encoder of `Codable` values to D-Bus variants.
///
/// Integers become `x`, other numbers `d`, texts and dates `s`, bytes `ay`, and everything else lists and `a{sv}`.
/// `nil` is left out.
struct VariantEncoding: Encoder {
    /// The destination for the parts of a value.
    final class Sink {
        var value: VariantValue?
        var entries: [String: VariantValue] = [:]
        var items: [VariantValue]?

        var made: VariantValue { value ?? items.map(VariantValue.list) ?? .dictionary(entries) }
    }

    fileprivate let sink: Sink
    fileprivate let layout: VariantLayout
    fileprivate var field = VariantField("")
    /// The case whose associated values are encoded.
    fileprivate var name: String?

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Encodes a value as a dictionary.
    static func fields<Value: VariantCoded>(of value: Value) -> [String: VariantValue] {
        let sink = Sink()
        do {
            try value.encode(to: VariantEncoding(sink: sink, layout: Value.busLayout))
        } catch {
            preconditionFailure("\(Value.self) cannot be encoded: \(error)")
        }
        return sink.entries
    }

    /// Encodes a value of any type.
    static func value(of value: some Encodable, _ field: VariantField = VariantField("")) throws -> VariantValue {
        switch value {
        case let flag as Bool: return .bool(flag)
        case let text as String: return .string(text)
        case let number as any BinaryInteger: return whole(Int64(clamping: number), field)
        case let number as Float: return self.number(Double(number), field)
        case let number as Double: return self.number(number, field)
        case let date as WallTime:
            if case .nanoseconds = field.form { return .integer(date.nanosecondsSinceEpoch) }
            return .string(BusDate(date).description)
        // The type is compared, because an empty array of any element type could be cast to an array of bytes.
        case let bytes as [UInt8] where type(of: value) == [UInt8].self: return .bytes(bytes)
        case let bytes as Base64Bytes: return .bytes(bytes.bytes)
        case let value as any VariantPaired: return .list(value.pair)
        case let texts as Set<String>: return .list(texts.sorted().map(VariantValue.string))
        default:
            let sink = Sink()
            try value.encode(to: VariantEncoding(sink: sink, layout: .of(type(of: value)), field: field))
            return sink.made
        }
    }

    fileprivate static func whole(_ number: Int64, _ field: VariantField) -> VariantValue {
        .integer(field.isClamped ? min(max(number, field.whole.lowerBound), field.whole.upperBound) : number)
    }

    fileprivate static func number(_ number: Double, _ field: VariantField) -> VariantValue {
        .double(field.isClamped ? min(max(number, field.number.lowerBound), field.number.upperBound) : number)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed(encoding: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        sink.items = []
        return Unkeyed(sink: sink, field: field)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(sink: sink, field: field) }
}

private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoding: VariantEncoding
    var codingPath: [any CodingKey] { [] }

    private func field(_ key: Key) -> VariantField { encoding.layout.field(key.stringValue, of: encoding.name) }

    func encodeNil(forKey key: Key) {}

    // Overloads for the most common types. Determining the type at run time takes longer than encoding the value.
    func encode(_ value: String, forKey key: Key) { encoding.sink.entries[field(key).key] = .string(value) }

    func encode(_ value: Int64, forKey key: Key) {
        let field = field(key)
        encoding.sink.entries[field.key] = VariantEncoding.whole(value, field)
    }

    func encode(_ value: Int, forKey key: Key) { encode(Int64(value), forKey: key) }

    func encode(_ value: Bool, forKey key: Key) {
        let field = field(key)
        if value || !field.omitsEmpty { encoding.sink.entries[field.key] = .bool(value) }
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let field = field(key)
        guard !field.isInline else {
            return try value.encode(to: VariantEncoding(sink: encoding.sink, layout: .of(Value.self)))
        }
        let made = try VariantEncoding.value(of: value, field)
        if !field.omitsEmpty || made != .dictionary([:]) { encoding.sink.entries[field.key] = made }
    }

    /// Returns the container for a case's associated values. They are stored beside the word that names the case.
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        guard let tag = encoding.layout.tag, let word = tag.words.first(where: { $0.name == key.stringValue })?.word
        else { preconditionFailure("the layout has no word for the case '\(key.stringValue)'") }
        if let key = tag.key { encoding.sink.entries[key] = .string(word) }
        var inner = encoding
        inner.name = key.stringValue
        return KeyedEncodingContainer(Keyed<Nested>(encoding: inner))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Never.container() }
    func superEncoder() -> any Encoder { Never.container() }
    func superEncoder(forKey key: Key) -> any Encoder { Never.container() }
}

private struct Unkeyed: UnkeyedEncodingContainer {
    let sink: VariantEncoding.Sink
    let field: VariantField
    var codingPath: [any CodingKey] { [] }
    var count: Int { sink.items?.count ?? 0 }

    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws {
        sink.items?.append(try VariantEncoding.value(of: value, field))
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> { Never.container() }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Never.container() }
    func superEncoder() -> any Encoder { Never.container() }
}

private struct Single: SingleValueEncodingContainer {
    let sink: VariantEncoding.Sink
    let field: VariantField
    var codingPath: [any CodingKey] { [] }

    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws { sink.value = try VariantEncoding.value(of: value, field) }
}

extension Never {
    /// Traps. Nested values are encoded separately, and no class is encoded.
    fileprivate static func container<Container>() -> Container {
        preconditionFailure("this coder has no containers of another type in a container, and encodes no class")
    }
}
