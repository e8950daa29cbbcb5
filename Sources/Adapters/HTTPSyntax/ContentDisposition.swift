// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A parser for `Content-Disposition` fields (RFC 6266), also in the forms that servers send and browsers accept (N2).
struct ContentDisposition {
    private let parameters: FieldParameters

    /// Parses a field. A field without a type is valid, too.
    init(_ field: String) { parameters = FieldParameters(field) }

    /// The name of the file, or `nil` if the field names none.
    ///
    /// The forms with a declared character set come first: `filename*` (RFC 8187), and the parts `filename*0`,
    /// `filename*1*`, and so on (RFC 2231). A form that cannot be decoded is ignored.
    var fileName: String? {
        values("filename*").lazy.compactMap(Self.extended).first ?? joinedParts
            ?? values("filename").first.map(EncodedWords.decoded)
    }

    private func values(_ name: String) -> [String] { parameters.values(name) }

    /// The name from its numbered parts. The first part names the character set of all parts that are escaped.
    private var joinedParts: String? {
        var (bytes, charset) = ([UInt8](), "utf-8")
        for number in 0..<parameters.all.count {
            if let plain = values("filename*\(number)").first {
                bytes += plain.utf8
            } else if let value = values("filename*\(number)*").first {
                guard number == 0 else {
                    bytes += PercentCoding.decode(value)
                    continue
                }
                guard let parts = Self.extendedParts(value) else { return nil }
                (charset, bytes) = (parts.charset, parts.bytes)
            } else {
                break
            }
        }
        return bytes.isEmpty ? nil : NameCharset.text(of: bytes, in: charset)
    }

    /// Decodes a value such as `UTF-8'en'%e2%82%ac` (RFC 8187).
    private static func extended(_ value: String) -> String? {
        extendedParts(value).flatMap { NameCharset.text(of: $0.bytes, in: $0.charset) }
    }

    private static func extendedParts(_ value: String) -> (charset: String, bytes: [UInt8])? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return (String(parts[0]), PercentCoding.decode(parts[2].filter { !$0.isWhitespace }))
    }
}

/// The encoded words of mail headers, such as `=?UTF-8?Q?caf=C3=A9?=` (RFC 2047), which some servers send.
enum EncodedWords {
    /// Returns the text with its encoded words decoded. Spaces between two such words are left out. A word that cannot be
    /// decoded stays.
    static func decoded(_ text: String) -> String {
        var (result, rest) = ("", text[...])
        while let start = rest.firstRange(of: "=?") {
            let before = rest[..<start.lowerBound]
            let fields = rest[start.upperBound...].split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count == 4, fields[3].first == "=",
                let word = word(String(fields[0]), String(fields[1]), String(fields[2]))
            else { return result + rest }
            let isBetween = !result.isEmpty && before.allSatisfy(\.isWhitespace)
            result += (isBetween ? "" : before) + word
            rest = fields[3].dropFirst()
        }
        return result + rest
    }

    private static func word(_ charset: String, _ encoding: String, _ text: String) -> String? {
        switch encoding.lowercased() {
        case "b": return Data(base64Encoded: text).flatMap { NameCharset.text(of: Array($0), in: charset) }
        case "q":
            let escaped = text.replacing("%", with: "%25").replacing("=", with: "%").replacing("_", with: " ")
            return NameCharset.text(of: PercentCoding.decode(escaped), in: charset)
        default: return nil
        }
    }
}

/// The character sets of names from servers.
enum NameCharset {
    private static let encodings: [String: String.Encoding] = [
        "iso-8859-1": .isoLatin1, "iso-8859-2": .isoLatin2, "windows-1250": .windowsCP1250,
        "windows-1251": .windowsCP1251, "windows-1252": .windowsCP1252, "shift_jis": .shiftJIS, "euc-jp": .japaneseEUC,
        "iso-2022-jp": .iso2022JP,
    ]

    /// Returns the text of bytes, or `nil` if the character set is unknown or does not fit.
    static func text(of bytes: [UInt8], in charset: String) -> String? {
        switch charset.lowercased() {
        case "utf-8", "us-ascii": String(decodingUTF8: bytes)
        case let name: encodings[name].flatMap { String(bytes: bytes, encoding: $0) }
        }
    }

    /// Returns the text of bytes whose character set is not declared: UTF-8 if they are valid, otherwise Latin-1.
    static func text(of bytes: [UInt8]) -> String {
        String(decodingUTF8: bytes) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
