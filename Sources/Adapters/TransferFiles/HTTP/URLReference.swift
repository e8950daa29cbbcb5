// SPDX-License-Identifier: Apache-2.0

/// The parts of a URL or a relative reference, with the resolution of references (RFC 3986 §5).
package struct URLReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?

    /// Splits any text into its parts. Drops the fragment, because clients never send it.
    ///
    /// Escapes bytes that are not allowed in a URL.
    package init(_ text: String) {
        // All bytes are ASCII from here on, and a file needs about a dozen references: characters would cost several
        // times as much.
        var rest = Substring(Self.escaped(text)).utf8
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let colon = rest.firstIndex(where: { ":/?".utf8.contains($0) }), rest[colon] == UInt8(ascii: ":"),
            Self.isScheme(rest[..<colon])
        {
            scheme = Substring(rest[..<colon]).lowercased()
            rest = rest[rest.index(after: colon)...]
        }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex { "/?".utf8.contains($0) } ?? rest.endIndex
            authority = String(Substring(rest[..<end]))
            rest = rest[end...]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = String(Substring(rest[rest.index(after: mark)...]))
            rest = rest[..<mark]
        }
        path = String(Substring(rest))
    }

    /// Returns the reference resolved against `base`.
    package func resolved(against base: URLReference) -> URLReference {
        var result = self
        if scheme == nil {
            result.scheme = base.scheme
            if authority == nil {
                result.authority = base.authority
                if path.isEmpty {
                    result.path = base.path
                    result.query = query ?? base.query
                } else if !path.hasPrefix("/") {
                    result.path = base.folder + path
                }
            }
        }
        result.path = Self.withoutDots(result.path)
        return result
    }

    /// The URL as text.
    package var text: String {
        (scheme.map { $0 + ":" } ?? "") + (authority.map { "//" + $0 } ?? "") + path + (query.map { "?" + $0 } ?? "")
    }

    /// The user and password before the `@`, still escaped.
    package var userInfo: String? {
        guard let authority, let at = authority.lastIndex(of: "@") else { return nil }
        return String(authority[..<at])
    }

    /// A copy of the reference without user and password.
    package var withoutUserInfo: URLReference {
        var copy = self
        if let authority, let at = authority.lastIndex(of: "@") {
            copy.authority = String(authority[authority.index(after: at)...])
        }
        return copy
    }

    /// The host and port in lowercase, for display.
    package var hostAndPort: String { (withoutUserInfo.authority ?? "").lowercased() }

    /// The host without the port. Empty if there is no host.
    package var host: String {
        let whole = hostAndPort
        if whole.hasPrefix("["), let end = whole.firstIndex(of: "]") { return String(whole[...end]) }
        return String(whole.prefix { $0 != ":" })
    }

    /// The scheme, host, and port, to which credentials belong (RFC 6454).
    package var origin: String {
        let port = hostAndPort.dropFirst(host.count).dropFirst()
        let usual = scheme == "https" ? "443" : "80"
        return "\(scheme ?? "")://\(host):\(port.isEmpty ? usual : String(port))"
    }

    /// The path and query in the form that clients send.
    package var target: String { Self.withoutDots(path) + (query.map { "?" + $0 } ?? "") }

    /// The last component of the path, still escaped.
    package var lastComponent: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    private var folder: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(path[...slash])
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy { isLetter($0) || digits.contains($0) || "+-.".utf8.contains($0) }
    }

    private static func withoutDots(_ path: String) -> String {
        guard path.hasPrefix("/") else { return path.isEmpty ? "/" : path }
        var kept: [Substring] = []
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, part) in zip(parts.indices, parts) {
            let isLast = index == parts.index(before: parts.endIndex)
            switch part {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(part)
            }
        }
        return "/" + kept.joined(separator: "/")
    }

    private static func escaped(_ text: String) -> String {
        func isAllowed(_ byte: UInt8) -> Bool { byte > 32 && byte < 127 && !#""<>\^`{|}"#.utf8.contains(byte) }
        if text.utf8.allSatisfy(isAllowed) { return text }
        let digits = Array("0123456789ABCDEF")
        var result = ""
        for byte in text.utf8 where byte != 9 && byte != 10 && byte != 13 {
            if isAllowed(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return result
    }
}
