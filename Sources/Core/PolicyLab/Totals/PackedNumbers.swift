// SPDX-License-Identifier: Apache-2.0

/// Whole numbers as one text, separated by spaces. In JSON, a text is read many times faster than an array.
extension Array where Element: FixedWidthInteger {
    /// The numbers as text: `12 -3 4`.
    var packed: String {
        var text = ""
        for number in self {
            if !text.isEmpty { text += " " }
            text += String(number)
        }
        return text
    }

    /// Reads numbers from a text. Returns `nil` if a word is not a number.
    init?(packed text: String) {
        self.init()
        for word in text.utf8.split(separator: UInt8(ascii: " ")) {
            guard let number = Element(Substring(word)) else { return nil }
            append(number)
        }
    }
}
