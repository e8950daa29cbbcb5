// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// Where a redirect leads, or why it may not be followed.
struct RedirectRule: Sendable {
    /// More hops than this are an error.
    static let maximumHops = 20
    /// Whether a field may be carried to another origin: any other may be a secret, whatever its name.
    static func isHarmless(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return name == "user-agent" || name == "accept" || name.hasPrefix("accept-")
    }

    /// What becomes of a redirect.
    enum Hop: Hashable, Sendable {
        case follow(url: String, fields: [HeaderField])
        case refuse(TransferFailure)
    }

    /// Whether https may lead to http.
    var allowsInsecure: Bool
    /// Whether it must stay on this machine: such a transfer stands outside the network's conditions, and must not be
    /// led past them.
    var staysOnLoopback = false

    static func isRedirect(_ head: ResponseHead) -> Bool {
        switch head.status {
        case 301, 302, 303, 307, 308: head.value("Location") != nil
        default: false
        }
    }

    /// The URL and fields of the next request; `visited` are the URLs that led here, the present one included.
    func next(
        location: String, from url: String, fields: [HeaderField], visited: [String]
    ) -> Hop {
        let base = URLReference(url)
        let target = URLReference(location).resolved(against: base).withoutUserInfo
        func refused(_ why: String) -> Hop {
            .refuse(TransferFailure(cause: .redirect, message: "\(base.hostAndPort) \(why)"))
        }
        guard let scheme = target.scheme, scheme == "http" || scheme == "https" else {
            return refused("redirects to \(target.scheme ?? "nothing"):, and only http and https may be followed.")
        }
        guard !target.host.isEmpty, !target.host.hasPrefix("[") || target.host.hasSuffix("]") else {
            return refused("redirects to a URL without a host.")
        }
        if base.scheme == "https", scheme == "http", !allowsInsecure {
            return refused("redirects from https to http on \(target.hostAndPort), which was not allowed.")
        }
        guard !staysOnLoopback || LoopbackHost.contains(target.host) else {
            return refused(
                "is on this machine but redirects to \(target.hostAndPort); give that URL itself, so that the network's "
                    + "conditions count.")
        }
        guard !visited.contains(target.text) else { return refused("redirects in a circle.") }
        guard visited.count <= Self.maximumHops else {
            return refused("redirects more than \(Self.maximumHops) times.")
        }
        let kept = target.origin == base.origin ? fields : fields.filter(Self.isHarmless)
        return .follow(url: target.text, fields: kept)
    }
}
