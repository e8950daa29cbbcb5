// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Derives a safe file name from a server's response (RFC 6266) or from the URL.
package enum ServerFileName {
    /// Returns a safe name of at most `limit` bytes.
    ///
    /// - Parameters:
    ///   - disposition: The value of `Content-Disposition`.
    ///   - url: The URL of the file.
    ///   - others: Names for a file that neither the field nor the URL names. The last one must be safe.
    package static func name(
        disposition: String?, url: String, otherwise others: [String] = ["download"], limit: Int = 255
    ) -> String {
        let candidates = [
            disposition.flatMap { ContentDisposition($0).fileName } ?? "",
            NameCharset.text(of: PercentCoding.decode(URLReference(url).lastComponent)),
        ]
        return (candidates + others).lazy.map { safe($0, limit: limit) }.first { !$0.isEmpty } ?? ""
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
}

extension String {
    /// Creates a string from UTF-8. Returns `nil` if the bytes are not valid UTF-8.
    package init?(decodingUTF8 bytes: [UInt8]) {
        self.init(validating: bytes, as: UTF8.self)
    }
}
