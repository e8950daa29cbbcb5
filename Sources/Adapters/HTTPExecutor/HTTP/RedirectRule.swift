// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
internal import TransferFiles
internal import TransferModel

/// Decides whether a redirect may be followed, and to which URL.
struct RedirectRule: Sendable {
    /// The maximum number of redirects. A longer chain is an error.
    static let maximumHops = 20

    /// The fields that describe the body of a request, in lowercase. They go where the body goes.
    static let bodyFields: Set<String> = ["content-type", "content-encoding", "content-language"]

    /// The remedy for a refused redirect to this machine or its network, without a period.
    static let localRemedy =
        "If you trust the server, use --allow-local-redirects, or allow-local-redirects in config.toml"

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
    /// A Boolean value that indicates whether a public server may redirect to this machine or its network.
    var allowsLocal = false
    /// The cookies of the first URL's server.
    var cookies: [Cookie] = []
    /// The current time in seconds since 1970, at which cookies expire.
    var now: Int64 = 0

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
    ///   - sendsBody: Whether the next request has the body of the request.
    func next(
        location: String, from url: String, fields: [HeaderField], visited: [String], sendsBody: Bool = false
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
        guard target.hasValidHost else { return refused("redirects to a URL without a valid host.") }
        if base.scheme == "https", scheme == "http", !allowsInsecure {
            return refused("redirects from https to http on \(target.hostAndPort), which is not allowed.")
        }
        guard !staysOnLoopback || LoopbackHost.contains(target.host) else {
            return refused(
                "is on this machine but redirects to \(target.hostAndPort). Use that URL directly, so that network "
                    + "conditions apply.")
        }
        let first = visited.first.map { URLReference($0).host } ?? base.host
        guard allowsLocal || !LocalHost.contains(target.host) || LocalHost.contains(first) else {
            return refused(
                "redirects to \(target.hostAndPort), which is on this machine or its network. \(Self.localRemedy).")
        }
        guard !visited.contains(target.text) else { return refused("redirects in a loop.") }
        guard visited.count <= Self.maximumHops else {
            return refused("redirects more than \(Self.maximumHops) times.")
        }
        let isSameOrigin = target.origin == base.origin
        let kept =
            isSameOrigin
            ? fieldsWithCookies(fields, for: target, visited: visited)
            : fields.filter { $0.isHarmless || sendsBody && Self.bodyFields.contains($0.name.lowercased()) }
        return .follow(url: target.text, fields: kept)
    }

    /// Returns the fields of a request to the same origin, with the cookies for its path.
    ///
    /// Another origin on the way may have chosen the target, so cookies do not return after it.
    private func fieldsWithCookies(
        _ fields: [HeaderField], for target: URLReference, visited: [String]
    ) -> [HeaderField] {
        guard !cookies.isEmpty else { return fields }
        let origin = target.origin
        let hasLeft = visited.contains { URLReference($0).origin != origin }
        let field = hasLeft ? nil : cookies.field(for: target.text, at: now)
        return fields.without(["cookie"]) + (field.map { [$0] } ?? [])
    }
}
