// SPDX-License-Identifier: Apache-2.0

/// A writer that marshals values as little-endian D-Bus bytes.
package struct WireWriter {
    /// The bytes written so far. Alignment counts from their start.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    package init() {}

    /// Appends a value with its alignment.
    package mutating func append(_ value: WireValue) {
        switch value {
        case .byte(let number): bytes.append(number)
        case .boolean(let flag): append(integer: UInt32(flag ? 1 : 0))
        case .int16(let number): append(integer: number)
        case .uint16(let number): append(integer: number)
        case .int32(let number): append(integer: number)
        case .uint32(let number): append(integer: number)
        case .int64(let number): append(integer: number)
        case .uint64(let number): append(integer: number)
        case .double(let number): append(integer: number.bitPattern)
        case .string(let text), .path(let text): append(text: text)
        case .signature(let text): append(signature: text)
        case .handle(let index): append(integer: index)
        case .variant(let inner):
            append(signature: inner.typeSignature)
            append(inner)
        case .array(let element, let members): append(members, of: element)
        case .structure(let members):
            align(to: 8)
            for member in members { append(member) }
        case .entry(let key, let value):
            align(to: 8)
            append(key)
            append(value)
        }
    }

    /// Appends zeros up to the next multiple of `boundary`.
    package mutating func align(to boundary: Int) {
        while !bytes.count.isMultiple(of: boundary) { bytes.append(0) }
    }

    /// Appends raw bytes without alignment.
    package mutating func append(raw: [UInt8]) { bytes += raw }

    private mutating func append(_ members: [WireValue], of element: String) {
        append(integer: UInt32(0))
        let lengthIndex = bytes.count - 4
        align(to: Self.alignment(of: element))
        let start = bytes.count
        if element == "y" {
            bytes += members.map { if case .byte(let byte) = $0 { byte } else { 0 } }
        } else {
            for member in members { append(member) }
        }
        let length = UInt32(bytes.count - start)
        for index in 0..<4 { bytes[lengthIndex + index] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(index))) }
    }

    private mutating func append<Number: FixedWidthInteger>(integer: Number) {
        align(to: MemoryLayout<Number>.size)
        withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(text: String) {
        append(integer: UInt32(text.utf8.count))
        bytes += text.utf8
        bytes.append(0)
    }

    private mutating func append(signature: String) {
        bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
        bytes += signature.utf8
        bytes.append(0)
    }

    /// Returns the alignment of the first type in a signature.
    static func alignment(of signature: String) -> Int {
        switch signature.utf8.first {
        case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"), UInt8(ascii: "("), UInt8(ascii: "{"): 8
        default: 4
        }
    }
}
