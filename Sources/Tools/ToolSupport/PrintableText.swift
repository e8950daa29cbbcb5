// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Conversion of text from servers, apps and other programs to text that is safe to show (C8). All text that a user
/// reads is converted.
extension String {
    /// The text on one line, with unsafe characters replaced by U+FFFD, so that the user notices them.
    ///
    /// The two joiners, which some scripts and emoji use, are removed. The remaining letters are the same.
    package var printable: String {
        // Most texts are safe, and looking is faster than copying.
        if isPlain { return self }
        guard unicodeScalars.contains(where: { $0.isUnsafe || $0.isJoiner }) else { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.isJoiner {
            scalars.append(scalar.isUnsafe ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }

    /// The text with each of its lines converted by `printable`.
    package var printableLines: String {
        if utf8.allSatisfy({ $0.isPlain || $0 == UInt8(ascii: "\n") }) { return self }
        guard unicodeScalars.contains(where: { $0 != "\n" && ($0.isUnsafe || $0.isJoiner) }) else { return self }
        // Split by scalars, because a carriage return with a line feed is a single character.
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { String($0).printable }.joined(separator: "\n")
    }

    /// An equivalent JSON document in which each unsafe character is escaped.
    ///
    /// Programs read the same values as before. The document must not contain line breaks or tabs between its values.
    package var printableJSON: String {
        if isPlain { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.isUnsafe || scalar.isJoiner else {
                text.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar)! {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return text
    }

    /// A Boolean value that indicates whether every character is visible ASCII or a space.
    ///
    /// This is true of most texts. Checking all bytes is faster than looking up the category of one character.
    private var isPlain: Bool { utf8.allSatisfy(\.isPlain) }
}

extension UInt8 {
    fileprivate var isPlain: Bool { (0x20..<0x7F).contains(self) }
}
