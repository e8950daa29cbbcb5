// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferFiles
internal import TransferModel

/// The target of an attempt's requests and the rules for them, for both downloads and uploads.
struct RequestPlan: Hashable, Sendable {
    var url: String
    var headers: [HeaderField]
    /// The cookies of the URL's server. Empty if a header field sets the cookies.
    var cookies: [Cookie] = []
    var userAgent: String
    var logins = LoginPlan()
    /// The host and port of the proxy, or `nil` if there is no proxy.
    var proxy: String?
    var allowsInsecureRedirect = false
    /// A Boolean value that indicates whether a web page is accepted although it contradicts what is known of the file.
    var acceptsWebPages = false
    /// A Boolean value that indicates whether a public server may redirect to this machine or its network.
    var allowsLocalRedirect = false
    /// A Boolean value that indicates whether redirects must stay on this machine.
    var staysOnLoopback = false
    /// The current time in seconds since 1970. Used to evaluate a date in `Retry-After`.
    var now: Int64 = 0

    /// The fields that belong to the protocol. The fields of the transfer cannot set them.
    private static let ownFields: Set<String> = [
        "range", "if-range", "connection", "content-length", "transfer-encoding", "expect", "te", "upgrade",
    ]

    /// The failure for a URL that cannot be requested, or `nil` if the URL is supported.
    var unsupportedURL: TransferFailure? {
        let reference = URLReference(url)
        if let scheme = reference.scheme, scheme == "http" || scheme == "https", reference.hasValidHost { return nil }
        let what = reference.scheme.map { "\($0): URLs" } ?? "URLs without http:// or https:// and a valid host"
        let message = "Only http and https URLs are supported, not \(what)."
        return TransferFailure(cause: .unsupportedURL, message: message)
    }

    /// Returns the attempt request for the URL itself.
    ///
    /// - Parameters:
    ///   - kind: The kind of the request.
    ///   - own: Additional fields that belong to the protocol, in lowercase.
    func attemptRequest<Kind>(_ kind: Kind, without own: Set<String> = []) -> AttemptRequest<Kind> {
        let url = URLReference(url).withoutUserInfo.text
        return AttemptRequest(kind: kind, url: url, fields: fields(without: own), visited: [url])
    }

    /// Returns the fields that every request carries.
    private func fields(without own: Set<String>) -> [HeaderField] {
        var fields = headers.without(Self.ownFields.union(own))
        for (name, value) in [("User-Agent", userAgent), ("Accept-Encoding", "identity")]
        where fields.firstValue(name) == nil {
            fields.append(HeaderField(name: name, value: value))
        }
        if let field = cookies.field(for: url, at: now) { fields.append(field) }
        return fields
    }

    var redirects: RedirectRule {
        RedirectRule(
            allowsInsecure: allowsInsecureRedirect, staysOnLoopback: staysOnLoopback,
            allowsLocal: allowsLocalRedirect, cookies: cookies, now: now)
    }
}
