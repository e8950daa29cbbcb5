// SPDX-License-Identifier: Apache-2.0

/// The characters that text from outside must not show, and that no name from outside may contain (C8).
///
/// A file name may contain escape sequences that control a terminal. It may also contain characters that change the
/// reading direction, so that `txt.exe` is displayed as `exe.txt`, or characters that nobody sees.
extension Unicode.Scalar {
    /// A Boolean value that indicates whether the character can control a terminal or mislead a reader.
    ///
    /// Such characters are controls (C0, DEL, and C1, which include escape sequences, tabs, and line feeds), separators of
    /// lines and paragraphs, and format characters and fillers: bidirectional controls, zero-width characters, tags.
    /// Joiners are among them, too.
    package var isUnsafe: Bool {
        guard value >= 0x7F else { return value < 0x20 }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
        }
    }

    /// A Boolean value that indicates whether the character is one of the two joiners, which words of some scripts and
    /// emoji need.
    package var isJoiner: Bool { value == 0x200C || value == 0x200D }
}

extension StringProtocol {
    /// The fault of the text as the name of a file from outside, such as "begins with a dash", or `nil` if there is none.
    ///
    /// A name that a user, an app, or a list chose is refused for its fault. A name that a server chose is changed
    /// instead (`ServerFileName`), so that the file always arrives.
    package var fileNameFault: String? {
        if unicodeScalars.contains(where: { $0.isUnsafe && !$0.isJoiner }) {
            return "contains a character that is invisible, controls a terminal, or changes the reading direction"
        }
        // `rm *` reads `-rf` as an option.
        if unicodeScalars.first == "-" { return "begins with a dash, so that programs read it as an option" }
        return utf8.count > 255 ? "has more than 255 bytes" : nil
    }
}
