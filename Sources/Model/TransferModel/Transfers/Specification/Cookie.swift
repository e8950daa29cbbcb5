// SPDX-License-Identifier: Apache-2.0

/// A cookie of a transfer, sent with each request that it is meant for.
///
/// The text form is a line of a cookie file in Netscape's format, as browsers' extensions, curl, and wget write it. Rows
/// and messages store this form.
///
/// ```swift
/// let cookie = Cookie(line: ".example.org\tTRUE\t/private\tTRUE\t0\tsession\t5f0c")
/// ```
public struct Cookie: Hashable, Sendable {
    /// The domain in lowercase, without a leading period.
    public var domain: String
    /// A Boolean value that indicates whether the cookie is also sent to subdomains of the domain.
    public var includesSubdomains: Bool
    /// The path of the resources that get the cookie. Resources below the path get the cookie too.
    public var path: String
    /// A Boolean value that indicates whether the cookie is sent over https only.
    public var isSecure: Bool
    /// The expiration in seconds since 1970, or 0 for none.
    public var expires: Int64
    /// The name.
    public var name: String
    /// The value, a secret.
    public var value: String

    /// Parses a line of a cookie file: seven fields, separated by tabs. The fields are the domain, whether subdomains are
    /// included, the path, whether https is required, the expiration in seconds since 1970, the name, and the value.
    ///
    /// - Parameter line: The line without a line break.
    /// - Returns: `nil` if the line is not a cookie, or if its name or value cannot be sent.
    public init?(line: some StringProtocol) {
        var fields = line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0) }
        // Some programs write no tab before an empty value.
        if fields.count == 6 { fields.append("") }
        // Python's `http.cookiejar` leaves the expiration of a session's cookie empty.
        if fields.count == 7, fields[4].isEmpty { fields[4] = "0" }
        guard fields.count == 7, let expires = Double(fields[4]), expires.magnitude < 9e15,
            let includesSubdomains = Self.flag(fields[1]), let isSecure = Self.flag(fields[3]),
            Self.isPlain(fields[5] + fields[6])
        else { return nil }
        let domain = fields[0].lowercased()
        self.domain = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
        guard !self.domain.isEmpty else { return nil }
        self.includesSubdomains = includesSubdomains
        path = fields[2].isEmpty ? "/" : fields[2]
        self.isSecure = isSecure
        self.expires = Int64(expires)
        (name, value) = (fields[5], fields[6])
    }

    /// The cookie as a line of a cookie file, without a line break.
    public var line: String {
        [domain, Self.text(includesSubdomains), path, Self.text(isSecure), "\(expires)", name, value]
            .joined(separator: "\t")
    }

    /// Returns whether the cookie is meant for a server, whatever the path.
    ///
    /// - Parameter host: The name or address of the server in lowercase, without the port.
    public func isMeant(forHost host: String) -> Bool {
        host == domain
            || includesSubdomains && domain.contains(".") && host.hasSuffix("." + domain)
                // An address has no subdomains.
                && !host.allSatisfy { $0.isNumber || $0 == "." }
    }

    /// Returns whether the cookie is meant for the path of a URL (RFC 6265 §5.1.4).
    ///
    /// - Parameter other: The path without the query.
    public func isMeant(forPath other: some StringProtocol) -> Bool {
        guard other.hasPrefix(path) else { return false }
        return path.hasSuffix("/") || other.count == path.count || other.dropFirst(path.count).first == "/"
    }

    /// Returns whether the cookie is still valid.
    ///
    /// - Parameter seconds: The current time in seconds since 1970.
    public func isValid(at seconds: Int64) -> Bool { expires == 0 || expires > seconds }

    private static func text(_ flag: Bool) -> String { flag ? "TRUE" : "FALSE" }

    private static func flag(_ text: String) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    /// Returns whether a name or value can be sent. A control character or a semicolon would begin another cookie.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && $0 != ";" }
    }
}

extension Cookie: Codable {
    /// Decodes a cookie from its text form.
    ///
    /// - Throws: `DecodingError` if the text is not a line of a cookie file.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let cookie = Cookie(line: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a cookie")
        }
        self = cookie
    }

    /// Encodes the cookie in its text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(line)
    }
}
