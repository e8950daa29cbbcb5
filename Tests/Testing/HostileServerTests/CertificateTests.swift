// SPDX-License-Identifier: Apache-2.0
import CHostileServer
import HostileServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct CertificateTests {
    private func server(_ certificate: HostileCertificate) throws -> HostileServer {
        var options = HostileServerOptions()
        options.certificate = certificate
        return try HostileServer(options: options) { _, connection in connection.respond("204 No Content") }
    }

    @Test(
        "a client that trusts the authority finds the fault of a certificate",
        arguments: HostileAuthority.Fault.allCases)
    func faults(_ fault: HostileAuthority.Fault) throws {
        let authority = try HostileAuthority()
        let server = try server(authority.certificate(fault))
        defer { server.stop() }
        let client = try #require(RawClient(port: server.port))
        let expected =
            switch fault {
            case .none: X509_V_OK
            case .expired: X509_V_ERR_CERT_HAS_EXPIRED
            case .notYetValid: X509_V_ERR_CERT_NOT_YET_VALID
            case .wrongHost: X509_V_ERR_IP_ADDRESS_MISMATCH
            case .selfSigned: X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT
            }
        #expect(client.secure(authority) == Int(expected))
    }

    @Test("a certificate without a fault is for all names of the server, and only for clients that know the authority")
    func names() throws {
        let authority = try HostileAuthority()
        let server = try server(authority.certificate())
        defer { server.stop() }
        for (host, expected) in [
            ("127.0.0.1", X509_V_OK), ("::1", X509_V_OK), ("localhost", X509_V_OK),
            ("elsewhere", X509_V_ERR_HOSTNAME_MISMATCH),
        ] {
            let client = try #require(RawClient(port: server.port))
            #expect(client.secure(authority, host: host) == Int(expected), "\(host)")
        }
        let stranger = try #require(RawClient(port: server.port))
        #expect(stranger.secure() == Int(X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY))
    }

    @Test("an outdated server speaks TLS 1.1, and no newer version")
    func outdated() throws {
        var certificate = try HostileAuthority().certificate()
        certificate.isOutdated = true
        let server = try server(certificate)
        defer { server.stop() }
        let modern = try #require(RawClient(port: server.port))
        #expect(modern.secure() == nil)
        let old = try #require(RawClient(port: server.port))
        _ = try #require(old.secure(isOutdated: true))
        #expect(old.version == "TLSv1.1")
        old.send("GET / HTTP/1.1\r\n\r\n")
        #expect(old.receive(12) == "HTTP/1.1 204")
    }
}
