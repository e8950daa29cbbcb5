// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The D-Bus objects of sessions.
extension SessionKey {
    /// The name of the session's object on the bus: app and identifier, separated by two underscores.
    ///
    /// An underscore that is not part of the separator is always followed by two hexadecimal digits.
    package var node: String { Self.escaped(app) + "__" + Self.escaped(identifier) }

    /// The path of the session's object on the bus.
    package var path: String { TransferBusName.sessionsPath + "/" + node }

    /// Parses the name of a session's object. Returns `nil` if the name does not belong to a session.
    package init?(node: String) {
        guard let border = node.firstRange(of: "__"), let app = Self.unescaped(node[..<border.lowerBound]),
            let identifier = Self.unescaped(node[border.upperBound...])
        else { return nil }
        self.init(app: app, identifier: identifier)
    }

    /// Escapes a string as sd_bus_path_encode(3) does. Letters and digits are kept, and any other byte becomes `_`
    /// with two hexadecimal digits.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte < 0x80, Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber {
                result.append(Character(UnicodeScalar(byte)))
            } else {
                let digits = String(byte, radix: 16)
                result += digits.count < 2 ? "_0\(digits)" : "_\(digits)"
            }
        }
        return result
    }

    private static func unescaped(_ text: Substring) -> String? { EscapedText.decoded(text, escape: UInt8(ascii: "_")) }
}
