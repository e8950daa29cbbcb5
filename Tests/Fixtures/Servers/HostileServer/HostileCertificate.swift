// SPDX-License-Identifier: Apache-2.0
import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A server's certificate and its key, made for one test run and kept in memory.
public struct HostileCertificate: Sendable {
    /// The server's certificate, without its authority's: clients have that or have it not.
    let certificate: String
    let key: String
    /// Whether only TLS 1.0 and 1.1 are spoken, which no client should.
    ///
    /// Default false.
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

/// A certificate authority of the tests' own.
public struct HostileAuthority: Sendable {
    /// What is wrong with a certificate.
    public enum Fault: String, Sendable, CaseIterable {
        /// Nothing: it is good for 127.0.0.1, ::1 and localhost, for a day from now.
        case none
        /// It ended yesterday.
        case expired
        /// It begins tomorrow.
        case notYetValid
        /// It is for another host.
        case wrongHost
        /// It is its own authority.
        case selfSigned
    }

    /// The authority's certificate, for a client's CA file.
    public let pem: String
    private let name: DistinguishedName
    private let key: P256.Signing.PrivateKey

    /// Makes a new one; costs a few milliseconds.
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

    /// A certificate with that fault and no other.
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
