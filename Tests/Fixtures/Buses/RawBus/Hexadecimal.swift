// SPDX-License-Identifier: Apache-2.0

/// Conversion between bytes and hexadecimal text for pipes. `-` stands for no bytes.
package enum Hexadecimal {
    /// Returns the hexadecimal text of bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        guard !bytes.isEmpty else { return "-" }
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a hexadecimal text.
    ///
    /// - Throws: `RawBusError` if the text contains other characters.
    package static func bytes(_ text: some StringProtocol) throws -> [UInt8] {
        guard text != "-" else { return [] }
        func digit(_ character: UInt8) throws -> UInt8 {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
            default: throw RawBusError("not a hexadecimal digit")
            }
        }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let high = rest.popFirst(), let low = rest.popFirst() { bytes.append(try digit(high) << 4 | digit(low)) }
        return bytes
    }
}
