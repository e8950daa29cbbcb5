// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A server's certificate and key, created for one test run and kept in memory.
public struct HostileCertificate: Sendable {
    /// The server's certificate without the authority's certificate, which clients may or may not have.
    let certificate: String
    let key: String
    /// A Boolean value that indicates whether the server speaks only TLS 1.0 and 1.1, which clients must refuse.
    ///
    /// The default is `false`.
    public var isOutdated = false

    func configuration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        if isOutdated {
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = .tlsv11
        }
        return configuration
    }
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
    private let name: DistinguishedName
    private let key: P256.Signing.PrivateKey

    /// Creates an authority with a new key. Takes a few milliseconds.
    public init() throws {
        key = P256.Signing.PrivateKey()
        name = try DistinguishedName { CommonName("Hostile Test Authority") }
        pem = try Self.make(
            key: key, days: -10...10, subject: name, issuer: name, issuerKey: key,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            })
    }

    /// Creates a server certificate with the given fault and no other.
    public func certificate(_ fault: Fault = .none) throws -> HostileCertificate {
        let serverKey = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName("Hostile Test Server") }
        let names: [GeneralName] =
            fault == .wrongHost
            ? [.dnsName("elsewhere.example")]
            : [
                .dnsName("localhost"), .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
                .ipAddress(ASN1OctetString(contentBytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])),
            ]
        let days =
            switch fault {
            case .expired: -2...(-1)
            case .notYetValid: 1...2
            case .none, .wrongHost, .selfSigned: -1...1
            }
        let isOwnAuthority = fault == .selfSigned
        let certificate = try Self.make(
            key: serverKey, days: days, subject: subject, issuer: isOwnAuthority ? subject : name,
            issuerKey: isOwnAuthority ? serverKey : key,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                SubjectAlternativeNames(names)
            })
        return HostileCertificate(certificate: certificate, key: serverKey.pemRepresentation)
    }

    private static func make(
        key: P256.Signing.PrivateKey, days: ClosedRange<Int>, subject: DistinguishedName, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey, extensions: Certificate.Extensions
    ) throws -> String {
        let now = Date()
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now.addingTimeInterval(Double(days.lowerBound) * 86400),
            notValidAfter: now.addingTimeInterval(Double(days.upperBound) * 86400), issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions,
            issuerPrivateKey: Certificate.PrivateKey(issuerKey))
        return try certificate.serializeAsPEM().pemString
    }
}
