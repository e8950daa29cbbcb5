// SPDX-License-Identifier: Apache-2.0
internal import HTTPSyntax
package import TransferFiles
package import TransferModel

/// The components of a URL from a user or app: the server, the credential, and the key for limits per host.
package struct TransferTarget {
    /// The URL without user name, password and fragment.
    package var url: String
    /// The user name and password of the URL, or `nil` if it has none.
    package var credential: Credential?
    /// The host name of the server, in lower case.
    package var hostName: String
    /// The scheme, host name and port. Limits per host count by this key.
    package var host: String
    /// A Boolean value that indicates whether the server is on this machine and is reached without a proxy.
    package var isLoopback: Bool

    /// Parses a URL.
    ///
    /// - Throws: `UsageError` with a description of the error that contains none of the URL's secrets.
    package init(_ text: String, proxies: ProxyRule) throws {
        let shown = RedactedURL.text(of: text)
        let url = URLReference(text)
        guard let scheme = url.scheme else {
            throw UsageError("not a valid URL: '\(shown)'; use http://… or https://…")
        }
        guard scheme == "http" || scheme == "https" else {
            throw UsageError("unsupported URL scheme '\(scheme)' in '\(shown)'; use http or https")
        }
        guard !url.host.isEmpty else { throw UsageError("the URL '\(shown)' has no host") }
        guard url.hasValidHost else {
            throw UsageError("not a valid URL: '\(shown)'; the name of the host or the port is wrong")
        }
        credential = url.credential
        self.url = url.withoutUserInfo.text
        hostName = url.host
        host = url.origin
        isLoopback = LoopbackHost.contains(hostName, unlessProxied: proxies.applies(scheme: scheme, host: url.host))
    }
}

extension MirrorList {
    /// Validates the other URLs of a file and adds them to its specification, whose own URL and traits are set.
    ///
    /// - Throws: `UsageError` that says what is wrong with a URL.
    package static func add(_ texts: [String], to specification: inout TransferSpecification, proxies: ProxyRule) throws
    {
        guard texts.count <= maximumCount else {
            throw UsageError("\(texts.count) mirrors are too many; name at most \(maximumCount)")
        }
        let targets = try texts.map { try TransferTarget($0, proxies: proxies) }
        specification.mirrors = targets.isEmpty ? nil : MirrorList(targets.map(\.url))
        // If one of the servers is elsewhere, the conditions of the network apply.
        specification.traits.isLoopback = specification.traits.isLoopback && targets.allSatisfy(\.isLoopback)
    }
}
