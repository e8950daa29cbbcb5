// SPDX-License-Identifier: Apache-2.0
import CHostileServer

/// A server's certificate and key, created for one test run and kept in memory.
public struct HostileCertificate: Sendable {
    /// The server's certificate without the authority's certificate, which clients may or may not have.
    let credential: Credential
    /// A Boolean value that indicates whether the server speaks only TLS 1.0 and 1.1, which clients must refuse.
    ///
    /// The default is `false`.
    public var isOutdated = false
}

/// A certificate authority for tests.
public struct HostileAuthority: Sendable {
    /// The faults that a certificate can have.
    public enum Fault: String, Sendable, CaseIterable {
        /// No fault. The certificate is valid for 127.0.0.1, ::1, and localhost, from one day
        /// ago to one day from now.
        case none
        /// The certificate expired yesterday.
        case expired
        /// The certificate becomes valid tomorrow.
        case notYetValid
        /// The certificate is for another host.
        case wrongHost
        /// The certificate is signed by its own key.
        case selfSigned
    }

    /// The authority's certificate in PEM format, for a client's CA file.
    public let pem: String
    private let credential: Credential

    /// Creates an authority with a new key. Takes a few milliseconds.
    public init() throws {
        credential = try Credential(
            "Hostile Test Authority", days: -10...10,
            extensions: [NID_basic_constraints: "critical,CA:TRUE", NID_key_usage: "critical,keyCertSign"])
        pem = credential.pem
    }

    /// Creates a server certificate with the given fault and no other.
    public func certificate(_ fault: Fault = .none) throws -> HostileCertificate {
        let days =
            switch fault {
            case .expired: -2...(-1)
            case .notYetValid: 1...2
            case .none, .wrongHost, .selfSigned: -1...1
            }
        let names = fault == .wrongHost ? "DNS:elsewhere.example" : "DNS:localhost,IP:127.0.0.1,IP:::1"
        return HostileCertificate(
            credential: try Credential(
                "Hostile Test Server", days: days, issuer: fault == .selfSigned ? nil : credential,
                extensions: [NID_basic_constraints: "critical,CA:FALSE", NID_subject_alt_name: names]))
    }
}
