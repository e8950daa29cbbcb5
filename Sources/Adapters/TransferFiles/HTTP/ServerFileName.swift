// SPDX-License-Identifier: Apache-2.0

/// A safe file name from what a server says (RFC 6266, 8187) or from the URL.
package enum ServerFileName {
    /// The name to use; `download` where there is none.
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

    /// `filename*` where it can be read, else `filename`.
    package static func fromDisposition(_ value: String) -> String? {
        var plain: String?
        for (name, value) in parameters(value) {
            if name == "filename*", let text = extended(value) { return text }
            if name == "filename", plain == nil { plain = value }
        }
        return plain
    }

    /// The name without what could lead out of a folder or hide, at most `limit` bytes, with its extension.
    package static func safe(_ text: String, limit: Int = 255) -> String {
        let last = text.split { $0 == "/" || $0 == "\\" }.last.map(String.init) ?? ""
        var name = withoutHidingStart(withoutSteering(last.unicodeScalars))
        while let end = name.last, end == "." || end.isWhitespace { name.removeLast() }
        let stem = name.prefix { $0 != "." }.lowercased()
        if devices.contains(stem) { name = "_" + name }
        return withoutHidingStart(cut(name, to: limit))
    }

    /// The text without control and format characters: those may turn the reading direction and hide an extension.
    ///
    /// A joiner stays between two characters of a script or an emoji that uses joiners, where it belongs to a word.
    private static func withoutSteering(_ text: String.UnicodeScalarView) -> String {
        var name = String.UnicodeScalarView()
        var joiner: Unicode.Scalar?
        for scalar in text {
            switch scalar.properties.generalCategory {
            case .format where scalar.value == 0x200C || scalar.value == 0x200D:
                joiner = name.last.map(isJoined) == true ? scalar : nil
            case .format, .control, .lineSeparator, .paragraphSeparator, .surrogate: continue
            default:
                if let joiner, isJoined(scalar) { name.append(joiner) }
                joiner = nil
                name.append(":*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
            }
        }
        return String(name)
    }

    /// Whether a joiner beside the character may change how it is read: not in Latin, Greek, Cyrillic and punctuation.
    private static func isJoined(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && scalar.value > 0x7F || scalar.properties.isVariationSelector
            || scalar.value >= 0x0600 && (scalar.properties.isAlphabetic || scalar.properties.isGraphemeExtend)
    }

    /// Without dots and spaces at the beginning, also such as are one character with an accent.
    private static func withoutHidingStart(_ name: String) -> String {
        String(name.unicodeScalars.drop { $0 == "." || $0.properties.isWhitespace })
    }

    /// `name` in at most `limit` bytes of UTF-8, cut between characters and before the extension.
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
        // A letter under hundreds of accents is one character, and may be too long alone.
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

    /// The name before and from the dot of its extension, `.tar.gz` and the like taken as one.
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

    /// `name=value` pairs after the type, quoted strings unquoted.
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
                    // A backslash before anything else is a path of Windows, wrongly quoted.
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

    /// `UTF-8'en'%e2%82%ac` (RFC 8187).
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
    /// The text where the bytes are UTF-8; nil where they are not.
    package init?(decodingUTF8 bytes: [UInt8]) {
        self.init(validating: bytes, as: UTF8.self)
    }
}
