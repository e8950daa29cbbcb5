// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A decoder of `Codable` values from D-Bus variants. Errors name the key, the error and its remedy.
///
/// An error within a nested dictionary also names the path: `in 'snapshot': 'request' is missing: what is to be
/// transferred`.
struct VariantDecoding: Decoder {
    /// A dictionary, with the keys that the decoded type has asked for.
    final class Node {
        let entries: [String: VariantValue]
        var requestedKeys: Set<String> = []

        init(_ entries: [String: VariantValue]) { self.entries = entries }
    }

    let value: VariantValue
    let node: Node?
    let layout: VariantLayout
    let defaults: [String: VariantValue]
    let field: VariantField
    /// The number of values that contain this value.
    let depth: Int
    /// The maximum nesting depth. D-Bus itself allows 64, and no value of the daemon is deeper than a few levels.
    static let maximumDepth = 32

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ type: Any.Type, _ value: VariantValue, _ node: Node?, _ field: VariantField, depth: Int) {
        (self.value, self.field, self.depth) = (value, field, depth)
        self.node = node ?? value.dictionary.map(Node.init)
        let coded = type as? any VariantCoded.Type
        (layout, defaults) = (coded?.busLayout ?? .plain, coded?.busDefaults ?? [:])
    }

    /// Decodes a value from its dictionary.
    ///
    /// - Throws: `BusFault` that names the key and the error.
    static func value<Value: VariantCoded>(
        _ type: Value.Type, of fields: [String: VariantValue]
    ) throws -> Value {
        do {
            return try composite(type, .dictionary(fields), VariantField(""), depth: 0)
        } catch let mismatch as VariantMismatch {
            throw BusFault(.invalidArgument, "the dictionary must be \(mismatch.expected)")
        }
    }

    /// Decodes a value that is composed of other values.
    static func composite<Value: Decodable>(
        _ type: Value.Type, _ value: VariantValue, _ field: VariantField, in node: Node? = nil, depth: Int
    ) throws -> Value {
        guard depth <= maximumDepth else {
            throw BusFault(.invalidArgument, "values are nested more than \(maximumDepth) levels deep")
        }
        let decoding = VariantDecoding(type, value, node, field, depth: depth)
        let made = try Value(from: decoding)
        if node == nil { try decoding.refuseOtherKeys() }
        try (made as? any VariantCoded)?.checkReceived()
        return made
    }

    private func refuseOtherKeys() throws(BusFault) {
        guard let noun = layout.noun, let node,
            let key = node.entries.keys.filter({ !node.requestedKeys.contains($0) }).min()
        else { return }
        let word = layout.tag?.key.flatMap { node.entries[$0]?.string }.map { " '\($0)'" } ?? ""
        throw BusFault(
            .invalidArgument, "'\(key)' is not a key of \(noun)\(word); see the comments of the D-Bus interface")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let node else { throw VariantMismatch("a dictionary (a{sv})", value) }
        return KeyedDecodingContainer(
            Keyed(decoding: self, node: node, name: nil, chosen: try layout.tag?.name(in: node)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .list(let items) = value else { throw VariantMismatch("a list", value) }
        return Unkeyed(items: items, field: field, depth: depth)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        Single(value: value, field: field, depth: depth)
    }
}

extension VariantTag {
    /// Returns the case that a dictionary represents.
    ///
    /// - Throws: `BusFault` if the dictionary names no case.
    fileprivate func name(in node: VariantDecoding.Node) throws(BusFault) -> String {
        guard let key else {
            let found = words.filter { node.entries[$0.word] != nil }
            guard found.count < 2 else {
                let keys = found.map { "'\($0.word)'" }.joined(separator: " and ")
                throw BusFault(.invalidArgument, "\(keys) cannot be combined; use one of them")
            }
            if let name = (found.first ?? words.first(where: \.word.isEmpty))?.name { return name }
            throw BusFault(
                .invalidArgument, "one of \(words.map { "'\($0.word)'" }.joined(separator: ", ")) is missing")
        }
        node.requestedKeys.insert(key)
        guard let value = node.entries[key] else {
            throw BusFault(.invalidArgument, "'\(key)' is missing: \(need ?? "")")
        }
        if let name = words.first(where: { value == .string($0.word) })?.name { return name }
        let known = words.map(\.word).joined(separator: ", ")
        throw BusFault(.invalidArgument, "'\(key)' must be one of \(known), not \(value.shown)")
    }
}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoding: VariantDecoding
    let node: VariantDecoding.Node
    /// The case whose associated values are decoded.
    let name: String?
    /// The case of the enumeration to decode.
    let chosen: String?

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        if let chosen { return Key(stringValue: chosen).map { [$0] } ?? [] }
        node.requestedKeys.formUnion(node.entries.keys)
        return node.entries.keys.sorted().compactMap(Key.init(stringValue:))
    }

    private func field(_ key: Key) -> VariantField { decoding.layout.field(key.stringValue, of: name) }

    func contains(_ key: Key) -> Bool {
        let field = field(key)
        if case .inline(let keys) = field.form { return keys.contains { node.entries[$0] != nil } }
        return node.entries[field.key] != nil
    }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let field = field(key)
        guard !field.isInline else {
            return try VariantDecoding.composite(
                type, decoding.value, field, in: node, depth: decoding.depth + 1)
        }
        node.requestedKeys.insert(field.key)
        guard let value = node.entries[field.key] ?? (field.need == nil ? decoding.defaults[field.key] : nil) else {
            let meaning = field.need.map { ": \($0)" } ?? ""
            throw BusFault(.invalidArgument, "'\(field.key)' is missing\(meaning)")
        }
        return try VariantDecoding.value(type, of: value, field, depth: decoding.depth + 1)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        contains(key) ? try decode(type, forKey: key) : nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(Keyed<Nested>(decoding: decoding, node: node, name: key.stringValue, chosen: nil))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw VariantMismatch("a value of its own", decoding.value)
    }

    func superDecoder() throws -> any Decoder { decoding }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoding }
}

private struct Unkeyed: UnkeyedDecodingContainer {
    let items: [VariantValue]
    let field: VariantField
    let depth: Int
    var currentIndex = 0
    var codingPath: [any CodingKey] { [] }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex >= items.count }

    func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard !isAtEnd else { throw VariantMismatch("a longer list", .list(items)) }
        let value = try VariantDecoding.plainValue(type, of: items[currentIndex], field, depth: depth + 1)
        currentIndex += 1
        return value
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw VariantMismatch("a value of its own", .list(items))
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw VariantMismatch("a value of its own", .list(items))
    }

    func superDecoder() throws -> any Decoder { throw VariantMismatch("a value of its own", .list(items)) }
}

private struct Single: SingleValueDecodingContainer {
    let value: VariantValue
    let field: VariantField
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try VariantDecoding.plainValue(type, of: value, field, depth: depth + 1)
    }
}
