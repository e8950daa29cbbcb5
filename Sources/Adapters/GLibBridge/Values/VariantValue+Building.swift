// SPDX-License-Identifier: Apache-2.0
import CGIO

extension VariantValue {
    /// Returns a string value; `nil` if `text` is `nil`.
    package static func optional(_ text: String?) -> VariantValue? { text.map(VariantValue.string) }

    /// Returns the value as a GVariant of a D-Bus type such as `(sa{sv})`, as a floating reference.
    ///
    /// - Throws: `VariantMismatchError` if the value does not have the type, or contains a value that D-Bus cannot
    ///   carry.
    package func variant(ofType type: String) throws -> OpaquePointer {
        let types = try Self.completeTypes(type[...])
        guard types.count == 1 else { throw VariantMismatchError(type: type, value: self) }
        return try variant(types[0])
    }

    private func variant(_ type: Substring) throws -> OpaquePointer {
        guard let made = try unchecked(type) else { throw VariantMismatchError(type: String(type), value: self) }
        return made
    }

    /// Returns the value as a GVariant of the type; `nil` if the value does not have the type.
    private func unchecked(_ type: Substring) throws -> OpaquePointer? {
        switch (type.first, self) {
        case ("b", .bool(let flag)): return g_variant_new_boolean(flag ? 1 : 0)
        case ("y", .integer(let number)): return Self.exactly(number, g_variant_new_byte)
        case ("n", .integer(let number)): return Self.exactly(number, g_variant_new_int16)
        case ("q", .integer(let number)): return Self.exactly(number, g_variant_new_uint16)
        case ("i", .integer(let number)): return Self.exactly(number, g_variant_new_int32)
        case ("u", .integer(let number)): return Self.exactly(number, g_variant_new_uint32)
        case ("x", .integer(let number)): return g_variant_new_int64(Int(number))
        case ("t", .integer(let number)): return Self.exactly(number, g_variant_new_uint64)
        case ("d", .double(let number)): return g_variant_new_double(number)
        case ("s", .string(let text)): return text.utf8.contains(0) ? nil : g_variant_new_string(text)
        case ("o", .string(let path)):
            return g_variant_is_object_path(path) != 0 ? g_variant_new_object_path(path) : nil
        case ("h", .handle(let index)): return g_variant_new_handle(index)
        case ("v", .typed(let type, let value)): return g_variant_new_variant(try value.variant(ofType: type))
        case ("v", _): return g_variant_new_variant(try variant(naturalType()))
        case ("a", .list(let items)):
            return try type == "ax" ? numbers(items) : array(of: type.dropFirst(), items)
        case ("a", .bytes(let bytes)):
            return type == "ay" ? Self.array(of: "y", bytes) : nil
        case ("a", .dictionary(let entries)): return try dictionary(type.dropFirst(), entries)
        case ("(", .list(let items)): return try tuple(type, items)
        default: return nil
        }
    }

    private static let many = 100

    private func array(of type: Substring, _ items: [VariantValue]) throws -> OpaquePointer? {
        var members: [OpaquePointer?] = []
        for item in items {
            let member = try item.variant(type)
            // Serialized into one block of memory: GLib never returns the memory of trees with thousands of values.
            if items.count >= Self.many { _ = g_variant_get_data(member) }
            members.append(member)
        }
        return Self.array(of: type, members)
    }

    /// Returns an array of numbers from one block of memory. Creating a GVariant for each of ten thousand numbers is
    /// slow.
    private func numbers(_ items: [VariantValue]) throws -> OpaquePointer? {
        var numbers: [Int64] = []
        numbers.reserveCapacity(items.count)
        for item in items {
            guard case .integer(let number) = item else { throw VariantMismatchError(type: "x", value: item) }
            numbers.append(number)
        }
        return Self.array(of: "x", numbers)
    }

    private static func array(of type: Substring, _ members: [OpaquePointer?]) -> OpaquePointer? {
        let element = g_variant_type_new(String(type))
        defer { g_variant_type_free(element) }
        var members = members
        return g_variant_new_array(element, &members, gsize(members.count))
    }

    private static func array<Number: FixedWidthInteger>(of type: String, _ numbers: [Number]) -> OpaquePointer? {
        let element = g_variant_type_new(type)
        defer { g_variant_type_free(element) }
        return numbers.withUnsafeBytes {
            g_variant_new_fixed_array(
                element, $0.baseAddress, gsize(numbers.count), gsize(MemoryLayout<Number>.size))
        }
    }

    private func dictionary(_ type: Substring, _ entries: [String: VariantValue]) throws -> OpaquePointer? {
        guard type.first == "{" else { return nil }
        let types = try Self.completeTypes(type.dropFirst().dropLast())
        guard types.count == 2 else { return nil }
        // Sorted, so that the same dictionary always has the same serialized form.
        var pairs: [OpaquePointer?] = []
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            pairs.append(
                g_variant_new_dict_entry(try VariantValue.string(key).variant(types[0]), try value.variant(types[1])))
        }
        return Self.array(of: type, pairs)
    }

    private func tuple(_ type: Substring, _ items: [VariantValue]) throws -> OpaquePointer? {
        let types = try Self.completeTypes(type.dropFirst().dropLast())
        guard types.count == items.count else { return nil }
        var members: [OpaquePointer?] = []
        for (item, type) in zip(items, types) { members.append(try item.variant(type)) }
        return g_variant_new_tuple(&members, gsize(members.count))
    }

    private static func exactly<Number: FixedWidthInteger>(
        _ number: Int64, _ make: (Number) -> OpaquePointer?
    ) -> OpaquePointer? {
        Number(exactly: number).flatMap(make)
    }

    /// Returns the type of the value inside a `v`, if no other type is given.
    private func naturalType() throws -> Substring {
        switch self {
        case .bool: "b"
        case .integer: "x"
        case .double: "d"
        case .string: "s"
        case .list: "av"
        case .bytes: "ay"
        case .dictionary: "a{sv}"
        case .handle: "h"
        case .typed, .other: throw VariantMismatchError(type: "v", value: self)
        }
    }

    /// Splits a signature into its single complete types.
    private static func completeTypes(_ signature: Substring) throws -> [Substring] {
        var types: [Substring] = []
        var start = signature.startIndex
        var depth = 0
        for index in signature.indices {
            switch signature[index] {
            case "(", "{": depth += 1
            case ")", "}": depth -= 1
            case "a": continue
            default: break
            }
            guard depth == 0 else { continue }
            let next = signature.index(after: index)
            types.append(signature[start..<next])
            start = next
        }
        guard start == signature.endIndex, depth == 0 else {
            throw VariantMismatchError(type: String(signature), value: .other)
        }
        return types
    }
}

/// A value that cannot be sent as the requested D-Bus type.
package struct VariantMismatchError: Error, Hashable, CustomStringConvertible {
    /// The requested type.
    package var type: String
    /// The value that does not have the type.
    package var value: VariantValue

    package var description: String { "\(value) cannot be sent as the D-Bus type '\(type)'" }
}
