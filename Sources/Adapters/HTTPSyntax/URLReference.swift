// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferModel

/// The parts of a URL or a relative reference, with the resolution of references (RFC 3986 §5).
///
/// All URLs of users, lists, apps, and servers pass through this type, which escapes them once (N1): valid escapes stay,
/// every other byte that may not stand in a URL is escaped, and a host with other letters becomes Punycode.
package struct URLReference: Hashable, Sendable {
    package var scheme: String?
    package var authority: String?
    package var path: String
    package var query: String?

    /// Splits any text into its parts. Drops the fragment, because clients never send it.
    package init(_ text: String) {
        // By bytes: all separators are ASCII, and a file needs about a dozen references. Characters would cost several
        // times as much.
        var rest = Substring(text).utf8
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
            authority = Self.authority(rest[..<end])
            rest = rest[end...]
        }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = PercentCoding.escaped(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        path = PercentCoding.escaped(rest)
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

    /// The user and password before the `@`, or `nil` if there are none. Without a colon, the password is empty.
    package var credential: Credential? {
        guard let userInfo else { return nil }
        let parts = userInfo.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(decoding: PercentCoding.decode($0), as: UTF8.self) }
        return Credential(user: parts[0], password: parts.count > 1 ? parts[1] : "")
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

    /// A Boolean value that indicates whether the URL names a host that can exist, and a port that is a number.
    package var hasValidHost: Bool {
        let (host, port) = (host, hostAndPort.dropFirst(host.count))
        let isLiteral = host.hasPrefix("[")
        guard !host.isEmpty, host.hasSuffix("]") == isLiteral, isLiteral || !host.contains("%") else { return false }
        return port.isEmpty || port == ":" || port.first == ":" && UInt16(port.dropFirst()) != nil
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

    /// Returns the part before the path, with the host in ASCII.
    private static func authority(_ text: Substring.UTF8View) -> String {
        let start = text.lastIndex(of: UInt8(ascii: "@")).map { text.index(after: $0) } ?? text.startIndex
        let userInfo = start == text.startIndex ? "" : PercentCoding.escaped(text[..<text.index(before: start)]) + "@"
        let rest = text[start...]
        // The address of an IPv6 literal contains colons.
        guard rest.first != UInt8(ascii: "[") else { return userInfo + String(Substring(rest)) }
        let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        return userInfo + asciiHost(rest[..<end]) + String(Substring(rest[end...]))
    }

    /// Returns the name of a host in Punycode if it has letters outside ASCII, written as such or as escapes.
    private static func asciiHost(_ host: Substring.UTF8View) -> String {
        let text = PercentCoding.escaped(host)
        guard text.utf8.contains(UInt8(ascii: "%")), let name = String(decodingUTF8: PercentCoding.decode(text)),
            name.utf8.allSatisfy({ $0 > 127 || PercentCoding.isUnreserved($0) })
        else { return text }
        return URL(string: "http://\(name)/")?.host(percentEncoded: false) ?? text
    }
}
