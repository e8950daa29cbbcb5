// SPDX-License-Identifier: Apache-2.0
import Foundation
internal import HTTPSyntax
internal import TransferFiles
internal import TransferModel

/// The cookies that servers set during a transfer, in memory (N3, RFC 6265).
///
/// A cookie returns to the host that set it. If the host names a domain above itself, the cookie returns to all hosts of
/// the domain, on the same port: another port may belong to another owner, except that http and https with their own
/// ports are one server.
///
/// There is no list of public suffixes, so a domain that belongs to many owners is recognized by its form only: a domain
/// of one label, and a short label before the two letters of a country, such as `co.uk`. A domain such as `github.io` is
/// not recognized.
struct CookieJar: Hashable, Sendable {
    /// The maximum number of cookies of a domain. The oldest one makes room.
    static let maximumCount = 50
    /// The maximum length of a cookie's name and value in bytes.
    static let maximumSize = 4096

    /// The cookies by the port of their servers, in the order in which they were set.
    private var cookies: [String: [Cookie]] = [:]
    private var now: Int64 = 0

    /// Records the cookies of a response.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - url: The URL of the request.
    ///   - seconds: The current time in seconds since 1970.
    mutating func record(_ head: ResponseHead, from url: String, at seconds: Int64) {
        now = seconds
        let reference = URLReference(url)
        let port = Self.port(of: reference)
        var own = cookies[port] ?? []
        for field in head.fields where field.name.lowercased() == "set-cookie" {
            guard let cookie = Cookie(setBy: field.value, from: reference, at: now) else { continue }
            own.removeAll { ($0.domain, $0.path, $0.name) == (cookie.domain, cookie.path, cookie.name) }
            guard cookie.isValid(at: now) else { continue }
            own.append(cookie)
            let ofDomain = own.indices.filter { own[$0].domain == cookie.domain }
            if ofDomain.count > Self.maximumCount { own.remove(at: ofDomain[0]) }
        }
        if !own.isEmpty || !cookies.isEmpty { cookies[port] = own }
    }

    /// Returns the fields of a request, including the cookies for its URL. They replace those of the same name.
    func adding(to fields: [HeaderField], url: String) -> [HeaderField] {
        guard !cookies.isEmpty, let own = cookies[Self.port(of: URLReference(url))]?.field(for: url, at: now) else {
            return fields
        }
        let names = Set(Self.pairs(own.value).map(Self.name))
        let others = Self.pairs(fields.firstValue("Cookie") ?? "").filter { !names.contains(Self.name($0)) }
        let value = (others + [own.value]).joined(separator: "; ")
        return fields.without(["cookie"]) + [HeaderField(name: "Cookie", value: value)]
    }

    /// Returns the port of a URL with its colon; empty if the port is the usual one of the scheme.
    private static func port(of url: URLReference) -> String {
        let isUsual = ["http://\(url.host):80", "https://\(url.host):443"].contains(url.origin)
        return isUsual ? "" : String(url.hostAndPort.dropFirst(url.host.count))
    }

    private static func pairs(_ value: String) -> [String] {
        value.split(separator: ";").map { String($0.drop { $0 == " " }) }
    }

    private static func name(_ pair: String) -> Substring { pair.prefix { $0 != "=" } }
}

extension Cookie {
    /// Parses a `Set-Cookie` field (RFC 6265 §5.2).
    ///
    /// - Returns: `nil` if the field sets no cookie, or one that is not meant for the server.
    fileprivate init?(setBy field: String, from url: URLReference, at now: Int64) {
        let parts = Self.parts(of: field, by: ";")
        let pair = Self.parts(of: parts[0], by: "=", atMost: 2)
        guard pair.count == 2, !pair[0].isEmpty, parts[0].utf8.count <= CookieJar.maximumSize else { return nil }
        var (path, isSecure, expires, isAgeKnown) = (Self.defaultPath(url.path), false, Int64(0), false)
        var domain: Substring?
        for part in parts.dropFirst() {
            let words = Self.parts(of: part, by: "=", atMost: 2)
            let value = words.count > 1 ? words[1] : ""
            switch words[0].lowercased() {
            case "domain":
                let named = value.lowercased().drop { $0 == "." }
                domain = named.isEmpty ? nil : named
            case "path": path = value.hasPrefix("/") ? value : Self.defaultPath(url.path)
            case "secure": isSecure = true
            case "max-age":
                guard let age = Int64(value) else { continue }
                // A time of 0 would mean a cookie of the session.
                (expires, isAgeKnown) = (age > 0 ? now + min(age, 1 << 40) : 1, true)
            case "expires" where !isAgeKnown: expires = HTTPDate.seconds(value).map { max(1, $0) } ?? 0
            default: continue
            }
        }
        self.init(
            line: [String(domain ?? url.host[...]), "TRUE", path, isSecure ? "TRUE" : "FALSE", "\(expires)"]
                .joined(separator: "\t") + "\t\(pair[0])\t\(pair[1])")
        guard isMeant(forHost: url.host) else { return nil }
        if domain.map(Self.mayBelongToMany) ?? true { (self.domain, includesSubdomains) = (url.host, false) }
    }

    /// Returns whether a domain has the form of a public suffix of a country, such as `co.uk`. The form proves nothing, so
    /// the cookie still returns to its own host.
    private static func mayBelongToMany(_ domain: Substring) -> Bool {
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 2 && labels[0].count <= 3 && labels[1].count == 2
    }

    private static func parts(of text: String, by separator: Character, atMost count: Int = .max) -> [String] {
        text.split(separator: separator, maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the path of a cookie that names none: the folder of the URL (RFC 6265 §5.1.4).
    private static func defaultPath(_ path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
