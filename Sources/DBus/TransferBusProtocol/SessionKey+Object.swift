// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Sessions as objects on the bus.
extension SessionKey {
    /// What it is called as an object on the bus. Two underscores part the two: an escape never begins with one.
    package var node: String { Self.escaped(app) + "__" + Self.escaped(identifier) }

    /// The path of its object on the bus.
    package var path: String { TransferBusName.sessionsPath + "/" + node }

    /// The name of the object of that name; nil where it is none.
    package init?(node: String) {
        guard let border = node.firstRange(of: "__"), let app = Self.unescaped(node[..<border.lowerBound]),
            let identifier = Self.unescaped(node[border.upperBound...])
        else { return nil }
        self.init(app: app, identifier: identifier)
    }

    /// Letters and digits stay, any other byte is `_` and its number in two hexadecimal digits, as sd_bus_path_encode(3)
    /// has it.
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

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let first = rest.popFirst() {
            guard first == UInt8(ascii: "_") else {
                bytes.append(first)
                continue
            }
            guard rest.count >= 2, let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
