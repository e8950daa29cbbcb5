// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import FoundationNetworking
internal import Logging
internal import Synchronization

// Names of Apple's API for certificates, so that shared code compiles. Every certificate is verified against those that
// the system trusts, and no delegate takes part: no background session asks with the method `ServerTrust`.

/// The authentication method of a challenge for a server's certificate. Never used on Linux.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// The certificates of a server, for a delegate that would evaluate them on Apple's platforms. Contains nothing here.
public final class SecTrust: Sendable {
    fileprivate init() {}
}

extension URLProtectionSpace {
    /// The certificates of a server, or `nil` if the authentication method is not server trust, as in every challenge
    /// of a background session on Linux.
    public var serverTrust: SecTrust? {
        CertificateNote.log()
        return authenticationMethod == NSURLAuthenticationMethodServerTrust ? SecTrust() : nil
    }
}

extension URLCredential {
    /// Creates a credential that would accept a server's certificate on Apple's platforms.
    ///
    /// The credential has no effect here, because every certificate is verified against those that the system trusts.
    public convenience init(trust: SecTrust) {
        CertificateNote.log()
        self.init(user: "", password: "", persistence: .none)
    }
}

/// A note in the log that no delegate decides about certificates.
enum CertificateNote {
    private static let wasLogged = Atomic(false)

    /// Logs the note, once in the life of the program.
    static func log() {
        guard !wasLogged.exchange(true, ordering: .relaxed) else { return }
        Log.warning(
            """
            Every certificate is verified against those that the system trusts, and no delegate is asked about it. To \
            trust another authority, install its certificate in the system (update-ca-certificates).
            """)
    }
}
