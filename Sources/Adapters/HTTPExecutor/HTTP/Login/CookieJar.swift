// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferFiles
internal import TransferModel

/// The cookies that servers set during a transfer, in memory (N3, RFC 6265).
///
/// A cookie returns only to the host that set it, even if the server names a whole domain: without a list of public
/// suffixes, a domain may belong to many owners. Another port of a host may belong to another owner, too, except that
/// http and https with their own ports are one server.
struct CookieJar: Hashable, Sendable {
    /// The maximum number of cookies of a server. The oldest one makes room.
    static let maximumCount = 50
    /// The maximum length of a cookie's name and value in bytes.
    static let maximumSize = 4096

    /// The cookies of each server, in the order in which they were set.
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
        var own = cookies[Self.server(of: reference)] ?? []
        for field in head.fields where field.name.lowercased() == "set-cookie" {
            guard let cookie = Cookie(setBy: field.value, from: reference, at: now) else { continue }
            own.removeAll { ($0.path, $0.name) == (cookie.path, cookie.name) }
            guard cookie.isValid(at: now) else { continue }
            own.append(cookie)
            if own.count > Self.maximumCount { own.removeFirst() }
        }
        if !own.isEmpty || !cookies.isEmpty { cookies[Self.server(of: reference)] = own }
    }

    /// Returns the fields of a request, including the cookies for its URL. They replace those of the same name.
    func adding(to fields: [HeaderField], url: String) -> [HeaderField] {
        guard !cookies.isEmpty, let own = cookies[Self.server(of: URLReference(url))]?.field(for: url, at: now) else {
            return fields
        }
        let names = Set(Self.pairs(own.value).map(Self.name))
        let others = Self.pairs(fields.firstValue("Cookie") ?? "").filter { !names.contains(Self.name($0)) }
        let value = (others + [own.value]).joined(separator: "; ")
        return fields.without(["cookie"]) + [HeaderField(name: "Cookie", value: value)]
    }

    private static func server(of url: URLReference) -> String {
        let origin = url.origin
        return ["http://\(url.host):80", "https://\(url.host):443"].contains(origin) ? url.host : url.hostAndPort
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
        let parts = field.split(separator: ";", omittingEmptySubsequences: false).map(Self.trimmed)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard pair.count == 2, !pair[0].isEmpty, parts[0].utf8.count <= CookieJar.maximumSize else { return nil }
        var (path, isSecure, expires, isAgeKnown) = (Self.defaultPath(url.path), false, Int64(0), false)
        for part in parts.dropFirst() {
            let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
            let value = words.count > 1 ? words[1] : ""
            switch words[0].lowercased() {
            case "domain":
                let domain = value.lowercased().drop { $0 == "." }
                guard domain.isEmpty || url.host == domain || url.host.hasSuffix("." + domain) else { return nil }
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
        let flags = ["FALSE", isSecure ? "TRUE" : "FALSE"]
        self.init(line: [url.host, flags[0], path, flags[1], "\(expires)", pair[0], pair[1]].joined(separator: "\t"))
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }

    /// Returns the path of a cookie that names none: the folder of the URL (RFC 6265 §5.1.4).
    private static func defaultPath(_ path: String) -> String {
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
