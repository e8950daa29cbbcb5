// SPDX-License-Identifier: Apache-2.0

/// Conversions to text for HTML and SVG.
enum Markup {
    static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns a coordinate with at most two decimal places, which is finer than any screen.
    static func number(_ value: Double) -> String {
        var text = Decimal.text(value, digits: 2)
        while text.contains("."), text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// Returns a number of bytes in a unit that is easy to read, such as `2.5 MB`.
    static func bytes(_ count: Double) -> String {
        let units: [(size: Double, name: String)] = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")]
        guard let unit = units.first(where: { count >= $0.size }) else {
            let text = Decimal.text(count, digits: 0)
            return text == "1" ? "1 byte" : "\(text) bytes"
        }
        let value = count / unit.size
        return "\(Decimal.text(value, digits: value < 100 ? 1 : 0)) \(unit.name)"
    }

    /// Returns 16 hexadecimal digits.
    static func hex(_ value: UInt64) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns text for a `data:` URL. Only letters, digits, and a few harmless signs are not encoded.
    static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "*"):
                result.append(byte)
            default:
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
