// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import FoundationNetworking

// Names of Apple's API for certificates. The daemon verifies every certificate against the certificates that the system
// trusts. No delegate takes part in the verification.

/// The authentication method of a challenge for a server's certificate. Never used on Linux.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The certificates of a server.
    @available(
        *, unavailable,
        message:
            "Certificates are always verified against those that the system trusts. To trust another authority, install its certificate in the system (update-ca-certificates); certificates cannot be pinned."
    )
    public var serverTrust: Any? { nil }
}

extension URLCredential {
    /// Creates a credential that accepts a server's certificate.
    @available(
        *, unavailable,
        message:
            "Certificates are always verified against those that the system trusts. To trust another authority, install its certificate in the system (update-ca-certificates)."
    )
    public convenience init(trust: Any) { fatalError("unavailable") }
}
