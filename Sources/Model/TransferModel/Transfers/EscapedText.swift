// SPDX-License-Identifier: Apache-2.0

/// Text with bytes written as an escape character and two hexadecimal digits.
package enum EscapedText {
    /// Returns the unescaped text, for example `é` for `%C3%A9` with `%` as the escape character.
    ///
    /// - Returns: `nil` if an escape is malformed or the bytes are not UTF-8.
    package static func decoded(_ text: Substring, escape: UInt8) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == escape else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
