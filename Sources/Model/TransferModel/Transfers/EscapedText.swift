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

/// URLs without their secrets.
public enum RedactedURL {
    /// Returns `url` without user, password, query, and fragment, safe to show and to log.
    public static func text(of url: String) -> String {
        // By bytes: all relevant characters are ASCII, and a combining mark after one of them does not change its
        // meaning.
        var rest = Substring(url).utf8
        if let end = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            rest = rest[..<end]
        }
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest[colon...].starts(with: "://".utf8) else {
            return String(Substring(rest))
        }
        let authorityStart = rest.index(colon, offsetBy: 3)
        let authorityEnd = rest[authorityStart...].firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        guard let at = rest[authorityStart..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) else {
            return String(Substring(rest))
        }
        return String(Substring(rest[..<authorityStart])) + Substring(rest[rest.index(after: at)...])
    }
}

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
