// SPDX-License-Identifier: Apache-2.0

/// A reader of values in a little-endian D-Bus message. All bounds are checked, because the bytes are untrusted.
package struct WireReader {
    private let bytes: [UInt8]
    /// The index of the next byte to read.
    package private(set) var position: Int

    /// Creates a reader that starts at `position`. Alignment counts from the first byte.
    package init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// Reads the values that a signature describes.
    package mutating func values(of signature: String) throws -> [WireValue] {
        var rest = Substring(signature)
        var values: [WireValue] = []
        while !rest.isEmpty { values.append(try value(&rest)) }
        return values
    }

    /// Skips to the next multiple of `boundary`.
    package mutating func align(to boundary: Int) throws {
        position = (position + boundary - 1) / boundary * boundary
        guard position <= bytes.count else { throw RawBusError("a message ends within its padding") }
    }

    private mutating func value(_ rest: inout Substring) throws -> WireValue {
        let type = rest.removeFirst()
        switch type {
        case "y": return .byte(try integer())
        case "b": return .boolean(try integer(UInt32.self) != 0)
        case "n": return .int16(try integer())
        case "q": return .uint16(try integer())
        case "i": return .int32(try integer())
        case "u": return .uint32(try integer())
        case "x": return .int64(try integer())
        case "t": return .uint64(try integer())
        case "d": return .double(Double(bitPattern: try integer()))
        case "h": return .handle(try integer())
        case "s": return .string(try text(Int(try integer(UInt32.self))))
        case "o": return .path(try text(Int(try integer(UInt32.self))))
        case "g": return .signature(try text(Int(try integer(UInt8.self))))
        case "v":
            var inner = Substring(try text(Int(try integer(UInt8.self))))
            return .variant(try value(&inner))
        case "a": return try array(&rest)
        case "(":
            try align(to: 8)
            var members: [WireValue] = []
            while rest.first != ")" { members.append(try value(&rest)) }
            rest.removeFirst()
            return .structure(members)
        case "{":
            try align(to: 8)
            let entry = WireValue.entry(try value(&rest), try value(&rest))
            rest.removeFirst()
            return entry
        default: throw RawBusError("a message has the unknown type '\(type)'")
        }
    }

    private mutating func array(_ rest: inout Substring) throws -> WireValue {
        let element = Self.completeType(rest)
        let length = Int(try integer(UInt32.self))
        try align(to: WireWriter.alignment(of: String(element)))
        let end = position + length
        guard end <= bytes.count else { throw RawBusError("an array is longer than its message") }
        var members: [WireValue] = []
        while position < end {
            var type = element
            members.append(try value(&type))
        }
        rest = rest.dropFirst(element.count)
        return .array(of: String(element), members)
    }

    private mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) throws -> Number {
        try align(to: MemoryLayout<Number>.size)
        guard position + MemoryLayout<Number>.size <= bytes.count else { throw RawBusError("a message is truncated") }
        defer { position += MemoryLayout<Number>.size }
        return bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: position, as: type)) }
    }

    private mutating func text(_ count: Int) throws -> String {
        guard position + count < bytes.count else { throw RawBusError("a text is longer than its message") }
        defer { position += count + 1 }
        guard let text = String(validating: bytes[position..<position + count], as: UTF8.self) else {
            throw RawBusError("a text is not UTF-8")
        }
        return text
    }

    /// Returns the first single complete type of a signature.
    private static func completeType(_ signature: Substring) -> Substring {
        var depth = 0
        for index in signature.indices {
            switch signature[index] {
            case "(", "{": depth += 1
            case ")", "}": depth -= 1
            case "a": continue
            default: break
            }
            if depth == 0 { return signature[...index] }
        }
        return signature
    }
}
