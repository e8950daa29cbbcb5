// SPDX-License-Identifier: Apache-2.0
package import GLibBridge

/// Reads a dictionary that came over the bus, key by key, and names what is wrong with it.
package struct BusFields {
    private var values: [String: VariantValue]

    /// Fields; those that nobody asks for are refused by ``end()``.
    package init(_ values: [String: VariantValue]) { self.values = values }

    private mutating func take<Value>(
        _ key: String, _ expected: String, _ read: (VariantValue) -> Value?
    ) throws -> Value? {
        guard let value = values.removeValue(forKey: key) else { return nil }
        guard let read = read(value) else {
            throw BusFault(.invalidArgument, "'\(key)' must be \(expected), not \(value.shown)")
        }
        return read
    }

    /// Text of no more than so many bytes.
    package mutating func string(_ key: String, most: Int = 64 << 10) throws -> String? {
        let text = try take(key, "text (s)", \.string)
        if let count = text?.utf8.count, count > most {
            throw BusFault(.invalidArgument, "'\(key)' has \(count) bytes, more than \(most)")
        }
        return text
    }

    /// A whole number within `range`.
    package mutating func integer(
        _ key: String, in range: ClosedRange<Int64> = .min ... .max
    ) throws -> Int64? {
        let bounds =
            range.upperBound == .max ? "of at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        return try take(key, "a whole number (x) \(bounds)") { value in
            guard case .integer(let number) = value, range.contains(number) else { return nil }
            return number
        }
    }

    /// A number within `range`.
    package mutating func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        try take(key, "a number (d), \(range.lowerBound) to \(range.upperBound)") { value in
            let number: Double? =
                switch value {
                case .double(let number): number
                case .integer(let number): Double(number)
                default: nil
                }
            return number.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A truth value.
    package mutating func flag(_ key: String) throws -> Bool? {
        try take(key, "true or false (b)") { value in
            guard case .bool(let flag) = value else { return nil }
            return flag
        }
    }

    /// One of the values of an enumeration.
    package mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, of type: Choice.Type
    ) throws -> Choice? where Choice.RawValue == String {
        try take(key, "one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")) { value in
            value.string.flatMap(Choice.init(rawValue:))
        }
    }

    /// A date.
    package mutating func date(_ key: String) throws -> BusDate? {
        try take(key, "a date as RFC 3339 has it (2026-03-01T02:00:00Z)") { $0.string.flatMap(BusDate.init(parsing:)) }
    }

    /// Texts.
    package mutating func strings(_ key: String) throws -> [String]? {
        try take(key, "a list of texts (as)") { value in
            guard case .list(let items) = value else { return nil }
            let texts = items.compactMap(\.string)
            return texts.count == items.count ? texts : nil
        }
    }

    /// Values of any kind, as each `read` makes of them.
    package mutating func list<Value>(
        _ key: String, of expected: String, _ read: (VariantValue) -> Value?
    ) throws -> [Value]? {
        try take(key, "a list of \(expected)") { value in
            guard case .list(let items) = value else { return nil }
            let read = items.compactMap(read)
            return read.count == items.count ? read : nil
        }
    }

    /// Bytes.
    package mutating func bytes(_ key: String) throws -> [UInt8]? {
        try take(key, "bytes (ay)") { value in
            guard case .bytes(let bytes) = value else { return nil }
            return bytes
        }
    }

    /// Texts by their names.
    package mutating func texts(_ key: String) throws -> [String: String]? {
        try take(key, "texts by their names (a{sv} of s, or a{ss})") { value in
            guard let entries = value.dictionary else { return nil }
            let texts = entries.compactMapValues(\.string)
            return texts.count == entries.count ? texts : nil
        }
    }

    /// What a dictionary in this one stands for, as `read` makes of it; its errors name the key.
    package mutating func nested<Value>(
        _ key: String, _ read: ([String: VariantValue]) throws -> Value
    ) throws -> Value? {
        guard let entries = try take(key, "a dictionary (a{sv})", \.dictionary) else { return nil }
        do { return try read(entries) } catch let fault as BusFault {
            throw BusFault(fault.code, "in '\(key)': \(fault.message)")
        }
    }

    /// The value of a key that has to be there.
    package static func needed<Value>(_ value: Value?, _ key: String, _ what: String) throws -> Value {
        guard let value else { throw BusFault(.invalidArgument, "'\(key)' is missing: \(what)") }
        return value
    }

    /// Refuses what nobody has asked for.
    package func end(in what: String) throws {
        guard let key = values.keys.min() else { return }
        throw BusFault(.invalidArgument, "'\(key)' is no key of \(what); see the interface's description")
    }
}

extension VariantValue {
    /// The text; nil for other kinds.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number; nil for other kinds.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The dictionary; nil for other kinds.
    package var dictionary: [String: VariantValue]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }

    /// The items of a list; none for other kinds.
    package var items: [VariantValue] {
        guard case .list(let items) = self else { return [] }
        return items
    }

    /// The value as an error message shows it: short, and no secret's whole text.
    fileprivate var shown: String {
        switch self {
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "'\(text.prefix(40))'"
        case .list: "a list"
        case .bytes: "bytes"
        case .dictionary: "a dictionary"
        case .handle: "a descriptor"
        case .paths: "a list of objects"
        case .typed(_, let value): value.shown
        case .other: "a value of another kind"
        }
    }
}
