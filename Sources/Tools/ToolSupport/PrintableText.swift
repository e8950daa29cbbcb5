// SPDX-License-Identifier: Apache-2.0

/// Conversion of text from servers, apps and other programs to text that is safe to show.
///
/// A file name may contain escape sequences that control a terminal. It may also contain format characters that
/// change the reading direction, so that `txt.exe` is displayed as `exe.txt` (C8). All text that a user reads is
/// converted.
extension String {
    /// The text on one line, with unsafe characters replaced by U+FFFD, so that the user notices them.
    ///
    /// Unsafe characters are control characters, format characters, and separators of lines and paragraphs. Control
    /// characters are C0, DEL and C1, and therefore include escape sequences, tabs and line feeds. Format characters
    /// include the bidirectional controls, zero-width characters and tag characters.
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

    /// A Boolean value that indicates whether the text is no name for a file: it contains a character that is unsafe to
    /// show. Joiners are allowed, because words and emoji need them.
    package var isUnsafeName: Bool { unicodeScalars.contains { $0.isUnsafe && !$0.isJoiner } }

    /// A Boolean value that indicates whether every character is visible ASCII or a space.
    ///
    /// This is true of most texts. Checking all bytes is faster than looking up the category of one character.
    private var isPlain: Bool { utf8.allSatisfy(\.isPlain) }
}

extension UInt8 {
    fileprivate var isPlain: Bool { (0x20..<0x7F).contains(self) }
}

extension Unicode.Scalar {
    /// A Boolean value that indicates whether the character can control a terminal or mislead a reader.
    fileprivate var isUnsafe: Bool {
        guard value >= 0x7F else { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}
