// SPDX-License-Identifier: Apache-2.0

/// Writes a value in the wire's binary form.
///
/// A value is a byte that names its type and what follows of it; what can hold others gives each its length, so that a
/// reader finds fields by name in any order, as JSON's do. Numbers are as the machine has them: both ends are on one.
/// JSON itself took a seventh of the processor time of a small file, most of it for numbers and names as text.
package enum WireEncoder {
    /// The bytes of `value`.
    ///
    /// - Throws: `WireError` for what cannot be said in this form: a name of more than 65 535 bytes.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let writer = WireWriter()
        try writer.put(value)
        writer.close(to: 0)
        return writer.bytes
    }
}

/// The type of a value on the wire.
package enum WireType: UInt8 {
    case null = 0x6e
    case bool = 0x62
    case integer = 0x69
    case unsigned = 0x75
    case double = 0x64
    case string = 0x73
    case keyed = 0x6b
    case list = 0x61
}

/// The bytes so far, and the lengths in them that are not known yet.
///
/// Values are written one after another: who begins the next field of a container has ended all within the last.
private final class WireWriter {
    private(set) var bytes: [UInt8] = []
    /// Where lengths are missing, the outermost first.
    private var open: [Int] = []

    /// How many lengths are missing.
    var depth: Int { open.count }

    func put(_ type: WireType) { bytes.append(type.rawValue) }

    private func put(_ type: WireType, _ number: UInt64) {
        put(type)
        withUnsafeBytes(of: number) { bytes += $0 }
    }

    /// Compares types rather than casting values: it comes before each of some sixty values of a job.
    func put<Value: Encodable>(_ value: Value) throws {
        if Value.self == String.self, let text = value as? String {
            put(.string)
            bytes += text.utf8
        } else if Value.self == Bool.self, let flag = value as? Bool {
            put(.bool, flag ? 1 : 0)
        } else if Value.self == Double.self || Value.self == Float.self {
            put(.double, ((value as? Double) ?? (value as? Float).map(Double.init) ?? 0).bitPattern)
        } else if WireInteger.types.contains(ObjectIdentifier(Value.self)), let number = value as? any BinaryInteger {
            try put(integer: number)
        } else {
            try value.encode(to: WireEncoding(writer: self))
        }
    }

    private func put(integer number: some BinaryInteger) throws {
        if let signed = Int64(exactly: number) {
            put(.integer, UInt64(bitPattern: signed))
        } else if let unsigned = UInt64(exactly: number) {
            put(.unsigned, unsigned)
        } else {
            throw WireError("the number \(number) is too large")
        }
    }

    /// Begins what has a length; what was begun deeper than `depth` before is ended.
    func begin(within depth: Int, key: String? = nil) throws {
        close(to: depth)
        if let key {
            guard let length = UInt16(exactly: key.utf8.count) else {
                throw WireError("a name of \(key.utf8.count) bytes is too long")
            }
            withUnsafeBytes(of: length) { bytes += $0 }
            bytes += key.utf8
        }
        open.append(bytes.count)
        bytes += [0, 0, 0, 0]
    }

    /// Fills in the lengths of what was begun deeper than that.
    func close(to depth: Int) {
        while open.count > depth {
            let start = open.removeLast()
            let length = UInt32(truncatingIfNeeded: bytes.count - start - 4)
            withUnsafeBytes(of: length) { bytes.replaceSubrange(start..<start + 4, with: $0) }
        }
    }
}

/// The whole numbers that Codable knows.
package enum WireInteger {
    package static let types: Set<ObjectIdentifier> = [
        ObjectIdentifier(Int.self), ObjectIdentifier(Int8.self), ObjectIdentifier(Int16.self),
        ObjectIdentifier(Int32.self), ObjectIdentifier(Int64.self), ObjectIdentifier(UInt.self),
        ObjectIdentifier(UInt8.self), ObjectIdentifier(UInt16.self), ObjectIdentifier(UInt32.self),
        ObjectIdentifier(UInt64.self),
    ]
}

/// What `encode(to:)` is given: one value, or a container of some.
private struct WireEncoding: Encoder, SingleValueEncodingContainer {
    let writer: WireWriter
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        writer.put(.keyed)
        return KeyedEncodingContainer(KeyedWriting<Key>(writer: writer, depth: writer.depth))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        writer.put(.list)
        return ListWriting(writer: writer, depth: writer.depth)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
    func encodeNil() { writer.put(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try writer.put(value) }
}

/// Fields by name: of each the name's length in two bytes, the name, the value's length in four, the value.
private struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let writer: WireWriter
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws {
        try writer.begin(within: depth, key: key.stringValue)
        writer.put(.null)
    }

    // Stands for each of the protocol's methods, one a type.
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try writer.begin(within: depth, key: key.stringValue)
        try writer.put(value)
        writer.close(to: depth)
    }

    private func encoding(_ key: String) -> WireEncoding {
        // The protocol does not let these throw; a name that is too long is cut and so not found by the reader.
        try? writer.begin(within: depth, key: String(key.prefix(10_000)))
        return WireEncoding(writer: writer)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { encoding(key.stringValue).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoding(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoding("super") }
    func superEncoder(forKey key: Key) -> any Encoder { encoding(key.stringValue) }
}

/// Values in order: of each the length in four bytes, and the value.
private struct ListWriting: UnkeyedEncodingContainer {
    let writer: WireWriter
    let depth: Int
    private(set) var count = 0
    var codingPath: [any CodingKey] { [] }

    init(writer: WireWriter, depth: Int) {
        self.writer = writer
        self.depth = depth
    }

    mutating func encodeNil() throws {
        try begin()
        writer.put(.null)
    }

    mutating func encode<Value: Encodable>(_ value: Value) throws {
        try begin()
        try writer.put(value)
        writer.close(to: depth)
    }

    private mutating func begin() throws {
        count += 1
        try writer.begin(within: depth)
    }

    private mutating func encoding() -> WireEncoding {
        // Nothing can be wrong where there is no name.
        try? begin()
        return WireEncoding(writer: writer)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoding().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoding().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoding() }
}
