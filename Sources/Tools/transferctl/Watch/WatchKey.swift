// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal.
enum WatchKey: Hashable, Sendable {
    case up
    case down
    case pageUp
    case pageDown
    case home
    case end
    case enter
    case escape
    case backspace
    case letter(Character)
    case other

    /// Returns the keys in a terminal's input, encoded by ECMA-48 and in xterm's form.
    static func keys(in bytes: [UInt8]) -> [WatchKey] {
        var keys: [WatchKey] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            switch first {
            case 0x1B where rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O"):
                rest = rest.dropFirst()
                // Parameters, followed by the final byte, which determines the function.
                let parameters = rest.prefix { !(0x40...0x7E).contains($0) }
                rest = rest.dropFirst(parameters.count)
                keys.append(sequence(String(decoding: parameters, as: UTF8.self), rest.popFirst()))
            case 0x1B: keys.append(.escape)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x08, 0x7F: keys.append(.backspace)
            case 0xC2...0xF4:
                let bytes = [first] + rest.prefix { (0x80...0xBF).contains($0) }
                rest = rest.dropFirst(bytes.count - 1)
                let letter = String(validating: bytes, as: UTF8.self).flatMap(\.first)
                keys.append(letter.map { WatchKey.letter($0) } ?? .other)
            case 0x20...0x7E: keys.append(.letter(Character(UnicodeScalar(first))))
            default: keys.append(.other)
            }
        }
        return keys
    }

    private static func sequence(_ parameters: String, _ last: UInt8?) -> WatchKey {
        switch (last.map { Character(UnicodeScalar($0)) }, parameters) {
        case ("A"?, _): .up
        case ("B"?, _): .down
        case ("H"?, _), ("~"?, "1"), ("~"?, "7"): .home
        case ("F"?, _), ("~"?, "4"), ("~"?, "8"): .end
        case ("~"?, "5"): .pageUp
        case ("~"?, "6"): .pageDown
        default: .other
        }
    }
}
