// SPDX-License-Identifier: Apache-2.0

/// The percent encoding of bytes, such as `%41` (RFC 3986 §2.1).
package enum PercentCoding {
    /// Returns the bytes of a text, with each valid escape replaced by the byte that it stands for.
    package static func decode(_ text: some StringProtocol) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == percent, let value = escape(rest) {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// Returns part of a URL with all bytes escaped that may not stand in a path or query. Valid escapes stay, so that
    /// escaping twice is the same as escaping once.
    package static func escaped(_ text: Substring.UTF8View) -> String {
        if text.allSatisfy({ isAllowed($0) && $0 != percent }) { return String(Substring(text)) }
        var (result, rest) = ([UInt8](), Array(text)[...])
        while let byte = rest.popFirst() {
            if isAllowed(byte), byte != percent || escape(rest) != nil {
                result.append(byte)
            } else {
                result += code(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns text in which every byte outside ASCII is an escape, for the text of a server that is not UTF-8.
    package static func escapedBeyondASCII(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { $0 < 128 ? [$0] : code($0) }, as: UTF8.self)
    }

    /// Returns whether a byte is a letter, a digit, or one of `-._~`, which mean the same with and without an escape.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static let percent = UInt8(ascii: "%")

    /// Returns whether a byte may stand in a path or query (RFC 3986 §3.3, §3.4), or begins an escape.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 32 && byte < 127 && !#""<>[\]^`{|}"#.utf8.contains(byte)
    }

    private static func code(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [percent, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    /// Returns the byte for which the first two characters after a `%` stand, or `nil` if they are not both digits.
    private static func escape(_ text: ArraySlice<UInt8>) -> UInt8? {
        guard text.count >= 2, let high = digit(text[text.startIndex]), let low = digit(text[text.startIndex + 1])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
