// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferModel

/// An error for a value whose type does not match the expected type.
struct VariantMismatch: Error {
    /// A description of the expected value.
    let expected: String
    /// The actual value, in the form for error messages.
    let found: String

    init(_ expected: String, _ value: VariantValue) { (self.expected, found) = (expected, value.shown) }
}

/// Decoding of single values.
extension VariantDecoding {
    /// Decodes the value of a key.
    ///
    /// - Throws: `BusFault` that names the key.
    static func value<Value: Decodable>(
        _ type: Value.Type, of value: VariantValue, _ field: VariantField, depth: Int
    ) throws -> Value {
        let key = field.key
        do {
            let made = try plainValue(type, of: value, field, depth: depth)
            if let count = (made as? String)?.utf8.count, count > field.most {
                throw BusFault(.invalidArgument, "'\(key)' has \(count) bytes; the maximum is \(field.most)")
            }
            if case .headers = field.form, let headers = made as? [String: String] {
                try HeaderChecks.check(headers.map { HeaderField(name: $0.key, value: $0.value) }, key)
            }
            return made
        } catch let mismatch as VariantMismatch {
            throw BusFault(
                .invalidArgument, "'\(key)' must be \(field.expected ?? mismatch.expected), not \(mismatch.found)")
        }
    }

    /// Decodes a value without a separate key.
    ///
    /// - Throws: `VariantMismatch` if the value has the wrong type, or `BusFault` for an error within the value.
    static func plainValue<Value: Decodable>(
        _ type: Value.Type, of value: VariantValue, _ field: VariantField, depth: Int
    ) throws -> Value {
        if let scalar = try scalar(type, value, field) as? Value { return scalar }
        do {
            return try composite(type, value, field, depth: depth)
        } catch let fault as BusFault {
            guard field.expected == nil else { throw VariantMismatch("", value) }
            // For a list, the item has already added its position.
            if case .list = value { throw fault }
            throw BusFault(fault.code, "in '\(field.key)': \(fault.message)")
        } catch is DecodingError {
            // The type itself rejected the value.
            throw VariantMismatch("a value of the type \(type)", value)
        }
    }

    /// Decodes a value that is not composed of other values. Returns `nil` for a composite type.
    private static func scalar(
        _ type: any Decodable.Type, _ value: VariantValue, _ field: VariantField
    ) throws -> Any? {
        switch type {
        case is String.Type: return try expect(value.string, "a string (s)", value)
        case is Bool.Type:
            guard case .bool(let flag) = value else { throw VariantMismatch("true or false (b)", value) }
            return flag
        case let type as any FixedWidthInteger.Type: return try whole(type, value, field)
        case is Double.Type: return try number(value, field)
        case is Float.Type: return Float(try number(value, field))
        case is WallTime.Type: return try date(value, field)
        case is [UInt8].Type: return try bytes(value)
        case is Base64Bytes.Type: return Base64Bytes(try bytes(value))
        case is [String].Type: return try texts(value)
        case is Set<String>.Type: return Set(try texts(value))
        case is [String: String].Type:
            let texts = value.dictionary?.compactMapValues(\.string)
            let isWhole = texts?.count == value.dictionary?.count
            return try expect(isWhole ? texts : nil, "a dictionary of strings (a{sv} of s, or a{ss})", value)
        case let type as any VariantPaired.Type:
            return try expect(value.items.count == 2 ? type.init(pair: value.items) : nil, "a pair", value)
        case let type as any (RawRepresentable & CaseIterable).Type: return try choice(type, value)
        default: return nil
        }
    }

    private static func expect<Value>(_ made: Value?, _ expected: String, _ value: VariantValue) throws -> Value {
        guard let made else { throw VariantMismatch(expected, value) }
        return made
    }

    private static func bytes(_ value: VariantValue) throws -> [UInt8] {
        guard case .bytes(let bytes) = value else { throw VariantMismatch("bytes (ay)", value) }
        return bytes
    }

    private static func texts(_ value: VariantValue) throws -> [String] {
        guard case .list(let items) = value, case let texts = items.compactMap(\.string), texts.count == items.count
        else { throw VariantMismatch("a list of strings (as)", value) }
        return texts
    }

    private static func whole<Number: FixedWidthInteger>(
        _ type: Number.Type, _ value: VariantValue, _ field: VariantField
    ) throws -> Number {
        let range = field.whole
        let bounds =
            range.upperBound == .max
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        let number = value.integer.flatMap { range.contains($0) ? Number(exactly: $0) : nil }
        return try expect(number, "an integer (x) \(bounds)", value)
    }

    private static func number(_ value: VariantValue, _ field: VariantField) throws -> Double {
        let number: Double? =
            switch value {
            case .double(let number): number
            case .integer(let number): Double(number)
            default: nil
            }
        let range = field.number
        return try expect(
            number.flatMap { range.contains($0) ? $0 : nil },
            "a number (d) from \(range.lowerBound) to \(range.upperBound)",
            value)
    }

    private static func date(_ value: VariantValue, _ field: VariantField) throws -> WallTime {
        if case .nanoseconds = field.form {
            return WallTime(nanosecondsSinceEpoch: try whole(Int64.self, value, field))
        }
        let date = value.string.flatMap(BusDate.init(parsing:))?.wall
        return try expect(date, "an RFC 3339 date such as 2026-03-01T02:00:00Z", value)
    }

    /// Decodes a case of an enumeration with text raw values. Returns `nil` for other enumerations.
    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type, _ value: VariantValue
    ) throws -> Any? {
        let words = Choice.allCases.compactMap { $0.rawValue as? String }
        guard !words.isEmpty else { return nil }
        let choice = Choice.allCases.first { $0.rawValue as? String == value.string }
        return try expect(choice, "one of " + words.joined(separator: ", "), value)
    }
}

extension VariantValue {
    /// The value in the form for error messages to the caller that sent it: at most the first 40 characters of a
    /// string.
    var shown: String {
        switch self {
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "'\(text.prefix(40))'"
        case .list: "a list"
        case .bytes: "bytes"
        case .dictionary: "a dictionary"
        case .handle: "a descriptor"
        case .typed(_, let value): value.shown
        case .other: "a value of another type"
        }
    }
}
