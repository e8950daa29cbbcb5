// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Where the requests of an attempt go, and under which rules; the same for downloads and uploads.
struct RequestPlan: Hashable, Sendable {
    var url: String
    var headers: [HeaderField]
    var userAgent: String
    var logins = LoginPlan()
    /// Host and port of the proxy that requests go through; nil if there is none.
    var proxy: String?
    var allowsInsecureRedirect = false
    /// Whether redirects must stay on this machine.
    var staysOnLoopback = false
    /// Seconds since 1970, to read a date in `Retry-After`.
    var now: Int64 = 0

    /// Fields that belong to the protocol and are never taken from outside.
    private static let ownFields: Set<String> = [
        "range", "if-range", "connection", "content-length", "transfer-encoding", "expect", "te", "upgrade",
    ]

    /// The failure of a URL to which no request can be sent; nil if one can.
    var unsupportedURL: TransferFailure? {
        let reference = URLReference(url)
        if let scheme = reference.scheme, scheme == "http" || scheme == "https", !reference.host.isEmpty { return nil }
        let what = reference.scheme.map { "\($0): URLs" } ?? "URLs without http:// or https:// and a host"
        let message = "Only http and https URLs can be transferred, no \(what)."
        return TransferFailure(cause: .unsupportedURL, message: message)
    }

    /// The question that goes to the URL itself.
    ///
    /// - Parameter own: further fields that belong to the protocol.
    func question<Kind>(_ kind: Kind, without own: Set<String> = []) -> AttemptQuestion<Kind> {
        let url = URLReference(url).withoutUserInfo.text
        return AttemptQuestion(kind: kind, url: url, fields: fields(without: own), visited: [url])
    }

    /// The fields that go with every request.
    private func fields(without own: Set<String>) -> [HeaderField] {
        var fields = headers.without(Self.ownFields.union(own))
        for (name, value) in [("User-Agent", userAgent), ("Accept-Encoding", "identity")]
        where fields.firstValue(name) == nil {
            fields.append(HeaderField(name: name, value: value))
        }
        return fields
    }

    var redirects: RedirectRule {
        RedirectRule(allowsInsecure: allowsInsecureRedirect, staysOnLoopback: staysOnLoopback)
    }
}
