// SPDX-License-Identifier: Apache-2.0

/// Bytes that are stored as Base64 text (RFC 4648 §4), four characters for three bytes.
///
/// The form of earlier versions, an array of numbers, still decodes.
package struct Base64Bytes: Hashable, Sendable, Codable {
    /// The bytes.
    package var bytes: [UInt8]

    /// Creates a value from its bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            bytes = try container.decode([UInt8].self)
            return
        }
        guard let bytes = Self.bytes(of: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not Base64.")
        }
        self.bytes = bytes
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")

    /// The Base64 text of the bytes.
    package var text: String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = 0
            for index in 0..<3 { group = group << 8 | (index < count ? Int(bytes[start + index]) : 0) }
            for index in 0..<4 {
                text.append(index <= count ? Self.alphabet[group >> (18 - 6 * index) & 63] : Self.padding)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a Base64 text, or `nil` if the text is not Base64 with its padding.
    private static func bytes(of text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 4) else { return nil }
        let padded = digits.suffix(2).reversed().prefix { $0 == padding }.count
        digits.removeLast(padded)
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = UInt8(value) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 4 * 3)
        var (group, bits) = (0, 0)
        for digit in digits {
            guard let value = values[Int(digit)] else { return nil }
            (group, bits) = ((group << 6 | Int(value)) & 0xFFFF, bits + 6)
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(group >> bits & 255))
            }
        }
        return bytes
    }
}
