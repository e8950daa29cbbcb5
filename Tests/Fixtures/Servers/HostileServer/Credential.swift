// SPDX-License-Identifier: Apache-2.0
import CHostileServer

/// A certificate with its private key.
final class Credential: Sendable {
    // Never changed after `init`. Only their counts of references change, atomically.
    nonisolated(unsafe) let certificate: OpaquePointer
    nonisolated(unsafe) let key: OpaquePointer

    /// Creates a P-256 key and its certificate.
    ///
    /// - Parameters:
    ///   - name: The common name of the certificate's subject.
    ///   - days: The first and last day on which the certificate is valid, from today.
    ///   - issuer: The authority that signs the certificate. By default, the certificate is signed by its own key.
    ///   - extensions: The values of extensions, in OpenSSL's format, by their NIDs.
    init(
        _ name: String, days: ClosedRange<Int>, issuer: Credential? = nil, extensions: KeyValuePairs<Int32, String>
    ) throws {
        // Connections may outlive the tests, and must not meet OpenSSL's cleanup at exit.
        OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        guard let certificate = X509_new(), let key = server_new_p256_key() else {
            throw HostileServerError("EVP_EC_gen")
        }
        (self.certificate, self.key) = (certificate, key)
        let issuer = issuer ?? self
        X509_set_version(certificate, Int(X509_VERSION_3))
        ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), .random(in: 1...UInt64(Int64.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate), days.lowerBound * 86400)
        X509_gmtime_adj(X509_getm_notAfter(certificate), days.upperBound * 86400)
        X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC, name, -1, -1, 0)
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer.certificate))
        X509_set_pubkey(certificate, key)
        for (kind, value) in extensions {
            let content = X509V3_EXT_nconf_nid(nil, nil, kind, value)
            defer { X509_EXTENSION_free(content) }
            guard X509_add_ext(certificate, content, -1) == 1 else { throw HostileServerError("X509_add_ext") }
        }
        guard X509_sign(certificate, issuer.key, EVP_sha256()) > 0 else { throw HostileServerError("X509_sign") }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    /// The certificate in PEM format.
    var pem: String {
        let memory = BIO_new(BIO_s_mem())
        defer { BIO_free(memory) }
        PEM_write_bio_X509(memory, certificate)
        return String(unsafeUninitializedCapacity: BIO_ctrl_pending(memory)) { buffer in
            Int(BIO_read(memory, buffer.baseAddress, Int32(buffer.count)))
        }
    }
}
