// SPDX-License-Identifier: Apache-2.0
import CGIO

/// A D-Bus value. Types that are not supported become `other`.
package enum VariantValue: Hashable, Sendable {
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    /// A string, an object path, or a signature.
    case string(String)
    /// An array or a tuple.
    case list([VariantValue])
    /// An array of bytes.
    case bytes([UInt8])
    /// A dictionary whose keys are strings or object paths.
    case dictionary([String: VariantValue])
    /// The index of a file descriptor among the descriptors of the message.
    case handle(Int32)
    /// A value to send as a `v` that contains a value of the given type. Received values have no wrapper.
    indirect case typed(String, VariantValue)
    case other

    /// Copies a GVariant, unwrapping a `v`.
    package init(copying variant: OpaquePointer) {
        switch g_variant_classify(variant) {
        case G_VARIANT_CLASS_BOOLEAN: self = .bool(g_variant_get_boolean(variant) != 0)
        case G_VARIANT_CLASS_BYTE: self = .integer(Int64(g_variant_get_byte(variant)))
        case G_VARIANT_CLASS_INT16: self = .integer(Int64(g_variant_get_int16(variant)))
        case G_VARIANT_CLASS_UINT16: self = .integer(Int64(g_variant_get_uint16(variant)))
        case G_VARIANT_CLASS_INT32: self = .integer(Int64(g_variant_get_int32(variant)))
        case G_VARIANT_CLASS_UINT32: self = .integer(Int64(g_variant_get_uint32(variant)))
        case G_VARIANT_CLASS_INT64: self = .integer(Int64(g_variant_get_int64(variant)))
        case G_VARIANT_CLASS_UINT64: self = .integer(Int64(clamping: g_variant_get_uint64(variant)))
        case G_VARIANT_CLASS_DOUBLE: self = .double(g_variant_get_double(variant))
        case G_VARIANT_CLASS_STRING, G_VARIANT_CLASS_OBJECT_PATH, G_VARIANT_CLASS_SIGNATURE:
            self = .string(String(cString: g_variant_get_string(variant, nil)))
        case G_VARIANT_CLASS_HANDLE: self = .handle(g_variant_get_handle(variant))
        case G_VARIANT_CLASS_VARIANT:
            guard let inner = g_variant_get_variant(variant) else {
                self = .other
                return
            }
            defer { g_variant_unref(inner) }
            self = VariantValue(copying: inner)
        case G_VARIANT_CLASS_ARRAY:
            let type = String(cString: g_variant_get_type_string(variant))
            if type.hasPrefix("a{s") || type.hasPrefix("a{o") {
                self = .dictionary(Self.properties(copying: variant))
            } else if type == "ay" {
                self = .bytes(Self.bytes(copying: variant))
            } else if type == "ax" {
                self = .list(Self.numbers(copying: variant))
            } else if type == "as" {
                self = .list(Self.texts(copying: variant))
            } else {
                self = .list(Self.children(copying: variant))
            }
        case G_VARIANT_CLASS_TUPLE: self = .list(Self.children(copying: variant))
        default: self = .other
        }
    }

    private static func children(copying variant: OpaquePointer) -> [VariantValue] {
        (0..<g_variant_n_children(variant)).compactMap { index in
            guard let child = g_variant_get_child_value(variant, index) else { return nil }
            defer { g_variant_unref(child) }
            return VariantValue(copying: child)
        }
    }

    private static func bytes(copying variant: OpaquePointer) -> [UInt8] {
        var count: gsize = 0
        guard let start = g_variant_get_fixed_array(variant, &count, 1) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    /// Copies an `ax` directly from memory. Lists of ten thousand numbers are common, and a GVariant for each number
    /// is slow.
    private static func numbers(copying variant: OpaquePointer) -> [VariantValue] {
        var count: gsize = 0
        guard let start = g_variant_get_fixed_array(variant, &count, gsize(MemoryLayout<Int64>.size)) else { return [] }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count) * MemoryLayout<Int64>.size)
        return (0..<Int(count)).map {
            .integer(bytes.loadUnaligned(fromByteOffset: $0 * MemoryLayout<Int64>.size, as: Int64.self))
        }
    }

    /// Copies an `as` without a GVariant for each string, because that is slow.
    private static func texts(copying variant: OpaquePointer) -> [VariantValue] {
        var count: gsize = 0
        guard let start = g_variant_get_strv(variant, &count) else { return [] }
        defer { g_free(start) }
        return (0..<Int(count)).compactMap { index in start[index].map { .string(String(cString: $0)) } }
    }

    /// Copies an `a{sv}`, or a dictionary of another value type whose keys are strings or object paths.
    static func properties(copying dictionary: OpaquePointer) -> [String: VariantValue] {
        var properties: [String: VariantValue] = [:]
        for index in 0..<g_variant_n_children(dictionary) {
            guard let entry = g_variant_get_child_value(dictionary, index) else { continue }
            defer { g_variant_unref(entry) }
            guard g_variant_n_children(entry) == 2, let key = g_variant_get_child_value(entry, 0) else { continue }
            defer { g_variant_unref(key) }
            guard let value = g_variant_get_child_value(entry, 1) else { continue }
            defer { g_variant_unref(value) }
            guard case .string(let name) = VariantValue(copying: key) else { continue }
            properties[name] = VariantValue(copying: value)
        }
        return properties
    }
}

/// Accessors for the payload of each case.
extension VariantValue {
    /// The string; `nil` for other cases.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The integer; `nil` for other cases.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The dictionary; `nil` for other cases.
    package var dictionary: [String: VariantValue]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }

    /// The items of a list; empty for other cases.
    package var items: [VariantValue] {
        guard case .list(let items) = self else { return [] }
        return items
    }
}
