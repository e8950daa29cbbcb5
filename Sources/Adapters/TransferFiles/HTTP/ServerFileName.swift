// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Derives a safe file name from a server's response (RFC 6266, 8187) or from the URL.
package enum ServerFileName {
    /// Returns a safe name of at most `limit` bytes. The default name is `download`.
    package static func name(disposition: String?, url: String, limit: Int = 255) -> String {
        let candidates = [
            disposition.flatMap(fromDisposition),
            String(decodingUTF8: PercentCoding.decode(URLReference(url).lastComponent)),
        ]
        for candidate in candidates {
            let name = safe(candidate ?? "", limit: limit)
            if !name.isEmpty { return name }
        }
        return "download"
    }

    /// Returns the value of `filename*` if it can be decoded, otherwise the value of `filename`.
    package static func fromDisposition(_ value: String) -> String? {
        var plain: String?
        for (name, value) in parameters(value) {
            if name == "filename*", let text = extended(value) { return text }
            if name == "filename", plain == nil { plain = value }
        }
        return plain
    }

    /// Returns the name without parts that could lead out of the folder or hide the file. The name has at most
    /// `limit` bytes and keeps its extension.
    package static func safe(_ text: String, limit: Int = 255) -> String {
        let last = text.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        var name = withoutHidingStart(withoutUnsafeCharacters(last.unicodeScalars))
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        let stem = name.prefix { $0 != "." }.lowercased()
        // `rm *` reads `-rf` as an option.
        if devices.contains(stem) || name.unicodeScalars.first == "-" { name = "_" + name }
        return withoutHidingStart(cut(name, to: limit))
    }

    /// Returns the text without unsafe characters, which can hide an extension.
    ///
    /// Keeps a joiner between two characters that use joiners, because the joiner is part of a word or an emoji
    /// there.
    private static func withoutUnsafeCharacters(_ text: String.UnicodeScalarView) -> String {
        var name = String.UnicodeScalarView()
        var joiner: Unicode.Scalar?
        for scalar in text {
            if scalar.isJoiner {
                joiner = name.last.map(isJoined) == true ? scalar : nil
            } else if !scalar.isUnsafe {
                if let joiner, isJoined(scalar) { name.append(joiner) }
                joiner = nil
                name.append(":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
            }
        }
        return String(name)
    }

    /// Returns whether a joiner next to the character may change its reading. A joiner has no effect in Latin, Greek,
    /// Cyrillic, and punctuation.
    private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && scalar.value > 0x7F || scalar.properties.isVariationSelector
            || scalar.value >= 0x0600 && (scalar.properties.isAlphabetic || scalar.properties.isGraphemeExtend)
    }

    /// Returns the name without leading dots and spaces, even if an accent is combined with them.
    private static func withoutHidingStart(_ name: String) -> String {
        String(name.unicodeScalars.drop { $0 == "." || $0.properties.isWhitespace })
    }

    /// Returns `name` cut to at most `limit` bytes of UTF-8. Cuts between characters and before the extension.
    package static func cut(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, ending) = split(name)
        var kept = ""
        var room = limit - ending.utf8.count
        for character in stem {
            room -= character.utf8.count
            if room < 0 { break }
            kept.append(character)
        }
        // A letter with hundreds of accents is a single character and may be too long on its own.
        if kept.isEmpty {
            room = limit - ending.utf8.count
            for scalar in stem.unicodeScalars {
                room -= UTF8.width(scalar)
                if room < 0 { break }
                kept.unicodeScalars.append(scalar)
            }
        }
        return kept + ending
    }

    /// Splits the name at the dot of its extension. Treats `.tar.gz` and similar extensions as a single extension.
    package static func split(_ name: String) -> (stem: String, ending: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name[dot...].utf8.count <= 32 else {
            return (name, "")
        }
        let before = name[..<dot]
        if before.lowercased().hasSuffix(".tar"), before.count > 4 {
            let tar = before.index(before.endIndex, offsetBy: -4)
            return (String(name[..<tar]), String(name[tar...]))
        }
        return (String(before), String(name[dot...]))
    }

    private static let devices: Set<String> = Set(
        ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

    /// Returns the `name=value` pairs after the type, with quoted strings unquoted.
    private static func parameters(_ text: String) -> [(name: String, value: String)] {
        var result: [(String, String)] = []
        var rest = text[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0.isWhitespace }
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0.isWhitespace }
            var value = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let character = rest.popFirst(), character != "\"" {
                    // Before any other character, a backslash is part of an incorrectly quoted Windows path.
                    let isEscape = character == "\\" && (rest.first == "\"" || rest.first == "\\")
                    value.append(isEscape ? rest.popFirst() ?? character : character)
                }
            } else {
                value = String(rest.prefix { $0 != ";" })
                rest = rest.dropFirst(value.count)
            }
            result.append((name.filter { !$0.isWhitespace }.lowercased(), value))
        }
        return result
    }

    /// Decodes a value such as `UTF-8'en'%e2%82%ac` (RFC 8187).
    private static func extended(_ value: String) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = PercentCoding.decode(parts[2].filter { !$0.isWhitespace })
        switch parts[0].lowercased() {
        case "utf-8": return String(decodingUTF8: bytes)
        case "iso-8859-1": return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return nil
        }
    }
}

extension String {
    /// Creates a string from UTF-8. Returns `nil` if the bytes are not valid UTF-8.
    package init?(decodingUTF8 bytes: [UInt8]) {
        self.init(validating: bytes, as: UTF8.self)
    }
}
