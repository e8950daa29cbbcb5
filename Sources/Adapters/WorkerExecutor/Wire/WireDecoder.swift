// SPDX-License-Identifier: Apache-2.0

/// A decoder for the format of `WireEncoder`.
///
/// Any input results in a value or an error, because every length is checked against the remaining bytes.
package enum WireDecoder {
    /// Returns the value that `bytes` encode.
    ///
    /// - Throws: `WireError`, or the `DecodingError` of a type that rejects its input.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try WireReading(bytes: bytes[...]).value(type)
    }
}

/// The bytes of a single value.
private struct WireReading: Decoder, SingleValueDecodingContainer {
    let bytes: ArraySlice<UInt8>
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var type: WireType? { bytes.first.flatMap(WireType.init) }

    func value<Value: Decodable>(_ wanted: Value.Type) throws -> Value {
        let found: Any?
        if wanted == String.self {
            found = try expect(.string, wanted) { String(validating: bytes.dropFirst(), as: UTF8.self) }
        } else if wanted == Bool.self {
            found = try expect(.bool, wanted) { number.flatMap { $0 > 1 ? nil : $0 == 1 } }
        } else if wanted == Double.self {
            found = try expect(.double, wanted) { number.map(Double.init(bitPattern:)) }
        } else if wanted == Float.self {
            found = try expect(.double, wanted) { number.map { Float(Double(bitPattern: $0)) } }
        } else if let integer = integerType(wanted) {
            found = try self.integer(integer)
        } else {
            return try Value(from: self)
        }
        guard let value = found as? Value else { throw WireError("invalid \(wanted) of \(bytes.count) bytes") }
        return value
    }

    private func integerType(_ wanted: any Decodable.Type) -> (any FixedWidthInteger.Type)? {
        guard WireInteger.types.contains(ObjectIdentifier(wanted)) else { return nil }
        return wanted as? any FixedWidthInteger.Type
    }

    private func integer<Number: FixedWidthInteger>(_ wanted: Number.Type) throws -> Number? {
        guard let number else { return nil }
        return switch type {
        case .integer: Number(exactly: Int64(bitPattern: number))
        case .unsigned: Number(exactly: number)
        default: nil
        }
    }

    private func expect<Found>(_ type: WireType, _ wanted: Any.Type, _ found: () -> Found?) throws -> Found? {
        guard self.type == type else { throw WireError("expected a value of type \(wanted)") }
        return found()
    }

    /// The eight bytes of a number.
    private var number: UInt64? {
        guard bytes.count == 9 else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 1, as: UInt64.self) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard self.type == .keyed else { throw WireError("expected fields") }
        return KeyedDecodingContainer(try KeyedReading<Key>(bytes.dropFirst()))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard type == .list else { throw WireError("expected a list") }
        return try ListReading(bytes.dropFirst())
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { type == .null }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}

extension ArraySlice<UInt8> {
    /// Removes a length and that number of bytes from the front. Returns the bytes.
    fileprivate mutating func readSized<Length: FixedWidthInteger>(_ length: Length.Type) throws -> ArraySlice<UInt8> {
        let size = MemoryLayout<Length>.size
        guard count >= size else { throw WireError("truncated length") }
        let count = Int(withUnsafeBytes { $0.loadUnaligned(as: Length.self) })
        guard count <= self.count - size else {
            throw WireError("length \(count) exceeds the remaining \(self.count) bytes")
        }
        defer { self = dropFirst(size + count) }
        return dropFirst(size).prefix(count)
    }
}

/// The fields of a value, by name.
private struct KeyedReading<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private var fields: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
    var codingPath: [any CodingKey] { [] }

    init(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            fields.append((try rest.readSized(UInt16.self), try rest.readSized(UInt32.self)))
        }
    }

    var allKeys: [Key] { fields.compactMap { Key(stringValue: String(decoding: $0.name, as: UTF8.self)) } }

    func contains(_ key: Key) -> Bool { field(key.stringValue) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try reading(key.stringValue).decodeNil() }

    // Implements all of the protocol's methods, which have one method per type.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try reading(key.stringValue).value(type)
    }

    private func field(_ name: String) -> WireReading? {
        var name = name
        let value = name.withUTF8 { name in fields.first { $0.name.elementsEqual(name) }?.value }
        return value.map(WireReading.init)
    }

    private func reading(_ name: String) throws -> WireReading {
        guard let field = field(name) else { throw WireError("missing field \(name)") }
        return field
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try reading(key.stringValue).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try reading(key.stringValue).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try reading("super") }
    func superDecoder(forKey key: Key) throws -> any Decoder { try reading(key.stringValue) }
}

/// The values of a list, in order.
private struct ListReading: UnkeyedDecodingContainer {
    private var values: [ArraySlice<UInt8>] = []
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { [] }

    init(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty { values.append(try rest.readSized(UInt32.self)) }
    }

    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    private mutating func next() throws -> WireReading {
        guard !isAtEnd else { throw WireError("the list has only \(values.count) values") }
        defer { currentIndex += 1 }
        return WireReading(bytes: values[currentIndex])
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd else { throw WireError("the list has only \(values.count) values") }
        let isNull = WireReading(bytes: values[currentIndex]).decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().value(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { try next().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
    mutating func superDecoder() throws -> any Decoder { try next() }
}
