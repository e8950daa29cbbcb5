// SPDX-License-Identifier: Apache-2.0
import Foundation
package import TransferFiles
package import TransferModel

/// What a URL that somebody gave means: where it leads, with which login, and under which key the server's slots count.
package struct TransferTarget {
    /// The URL without user, password and fragment.
    package var url: String
    /// User and password that stood in it; nil where none did.
    package var credential: Credential?
    /// The server's name, in lower case.
    package var hostName: String
    /// Scheme, name and port: what slots per host are counted under.
    package var host: String
    /// Whether the server is on this machine and is reached without a proxy.
    package var isLoopback: Bool

    /// Looks at a URL.
    ///
    /// - Throws: `UsageError` that says what is wrong with it, without its secrets.
    package init(_ text: String, proxies: ProxyRule) throws {
        let shown = TransferSpecification.redacted(url: text)
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased() else {
            throw UsageError("'\(shown)' is no URL; write http://… or https://…")
        }
        guard scheme == "http" || scheme == "https" else {
            throw UsageError("'\(shown)': only http and https URLs can be transferred, not \(scheme)")
        }
        guard let host = url.host?.lowercased(), !host.isEmpty else { throw UsageError("'\(shown)' names no server") }
        credential = url.user.map { Credential(user: $0, password: url.password ?? "") }
        var bare = url
        (bare.user, bare.password, bare.fragment) = (nil, nil, nil)
        self.url = bare.string ?? text
        hostName = host
        self.host = "\(scheme)://\(host):\(url.port ?? (scheme == "http" ? 80 : 443))"
        isLoopback = LoopbackHost.contains(host, unlessProxied: proxies.applies(scheme: scheme, host: host))
    }
}
