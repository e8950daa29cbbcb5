// SPDX-License-Identifier: Apache-2.0

/// Text from servers, apps and other programs, made safe to show.
///
/// A file name may hold escape sequences that steer a terminal, and format characters that turn the reading direction, so
/// that `exe.txt` is read where `txt.exe` stands (C8). Everything that a person reads goes through here.
extension String {
    /// The text on one line without characters that steer: those are replaced by U+FFFD, so that they are noticed.
    ///
    /// Steering are control characters (C0, DEL and C1, and with them escape sequences, tabs and line feeds), format
    /// characters (the bidirectional controls, zero-width and tag characters) and the separators of lines and paragraphs.
    /// The two joiners, which some scripts and emoji need, are left out: without them the same letters are read.
    package var printable: String {
        if isPlain { return self }
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars where !scalar.isJoiner {
            scalars.append(scalar.steers ? "\u{FFFD}" : scalar)
        }
        return String(scalars)
    }

    /// The text with each of its lines as `printable` has it.
    package var printableLines: String {
        if utf8.allSatisfy({ $0.isPlain || $0 == UInt8(ascii: "\n") }) { return self }
        // By scalars: a carriage return and a line feed are one character.
        let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { String($0).printable }.joined(separator: "\n")
    }

    /// A JSON document that says the same, with each steering character as an escape.
    ///
    /// Programs read from it what they would have read before. The document must be free of line breaks and tabs between
    /// its values.
    package var printableJSON: String {
        if isPlain { return self }
        var text = ""
        for scalar in unicodeScalars {
            guard scalar.steers || scalar.isJoiner else {
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

    /// Whether every character is one of visible ASCII or a blank.
    ///
    /// Most texts are: every byte of them is seen faster than the first letter's category.
    private var isPlain: Bool { utf8.allSatisfy(\.isPlain) }
}

extension UInt8 {
    fileprivate var isPlain: Bool { (0x20..<0x7F).contains(self) }
}

extension Unicode.Scalar {
    /// Whether the character steers a terminal or a reader's eye.
    fileprivate var steers: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}
