// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Decides whether a redirect may be followed, and to which URL.
struct RedirectRule: Sendable {
    /// The maximum number of redirects. A longer chain is an error.
    static let maximumHops = 20
    /// Returns whether a field may be carried to another origin. Any other field may be a secret, whatever its name.
    static func isHarmless(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return name == "user-agent" || name == "accept" || name.hasPrefix("accept-")
    }

    /// The decision about a redirect.
    enum Decision: Hashable, Sendable {
        case follow(url: String, fields: [HeaderField])
        case refuse(TransferFailure)
    }

    /// A Boolean value that indicates whether HTTPS may redirect to HTTP.
    var allowsInsecure: Bool
    /// A Boolean value that indicates whether redirects must stay on this machine. Network conditions do not apply to
    /// such a transfer, and a redirect must not bypass them.
    var staysOnLoopback = false

    static func isRedirect(_ head: ResponseHead) -> Bool {
        switch head.status {
        case 301, 302, 303, 307, 308: head.value("Location") != nil
        default: false
        }
    }

    /// Returns the decision about a redirect, including the URL and fields of the next request.
    ///
    /// - Parameters:
    ///   - location: The value of the `Location` field.
    ///   - url: The URL that sent the redirect.
    ///   - fields: The fields of the request.
    ///   - visited: The URLs that led to `url` by redirects, including `url`.
    func next(
        location: String, from url: String, fields: [HeaderField], visited: [String]
    ) -> Decision {
        let base = URLReference(url)
        let target = URLReference(location).resolved(against: base).withoutUserInfo
        func refused(_ why: String) -> Decision {
            .refuse(TransferFailure(cause: .redirect, message: "\(base.hostAndPort) \(why)"))
        }
        guard let scheme = target.scheme, scheme == "http" || scheme == "https" else {
            let kind = target.scheme.map { "a \($0): URL" } ?? "an invalid URL"
            return refused("redirects to \(kind); only http and https are supported.")
        }
        guard !target.host.isEmpty, !target.host.hasPrefix("[") || target.host.hasSuffix("]") else {
            return refused("redirects to a URL without a host.")
        }
        if base.scheme == "https", scheme == "http", !allowsInsecure {
            return refused("redirects from https to http on \(target.hostAndPort), which is not allowed.")
        }
        guard !staysOnLoopback || LoopbackHost.contains(target.host) else {
            return refused(
                "is on this machine but redirects to \(target.hostAndPort). Use that URL directly, so that network "
                    + "conditions apply.")
        }
        guard !visited.contains(target.text) else { return refused("redirects in a loop.") }
        guard visited.count <= Self.maximumHops else {
            return refused("redirects more than \(Self.maximumHops) times.")
        }
        let kept = target.origin == base.origin ? fields : fields.filter(Self.isHarmless)
        return .follow(url: target.text, fields: kept)
    }
}
