// SPDX-License-Identifier: Apache-2.0
internal import CCrypto
import TransferEngine
internal import TransferModel

/// An incremental digest, computed by OpenSSL with the processor's instructions for SHA.
///
/// Copies are independent of each other.
package struct Digest: Sendable {
    /// The supported digest functions.
    package enum Function: Sendable {
        /// Broken, but required by HTTP's Digest authentication.
        case md5
        case sha256
        case sha512

        /// A Boolean value that indicates whether the machine allows the function. A machine in FIPS mode has no MD5.
        package var isAvailable: Bool {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            return EVP_DigestInit_ex(context, algorithm, nil) == 1
        }

        fileprivate var algorithm: OpaquePointer? {
            switch self {
            case .md5: EVP_md5()
            case .sha256: EVP_sha256()
            case .sha512: EVP_sha512()
            }
        }
    }

    private var state: State

    /// Creates a digest of no bytes. The function must be available.
    package init(_ function: Function) { state = State(function) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&state) { state = State(copying: state) }
        precondition(EVP_DigestUpdate(state.context, bytes.baseAddress, bytes.count) == 1, "OpenSSL: EVP_DigestUpdate")
    }

    /// The digest of the bytes so far in lowercase hexadecimal.
    package var hexDigest: String {
        let end = State(copying: state)
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        precondition(EVP_DigestFinal_ex(end.context, &bytes, &count) == 1, "OpenSSL: EVP_DigestFinal_ex")
        let digits = Array("0123456789abcdef")
        return String(bytes.prefix(Int(count)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// Returns the digest of the text's UTF-8 encoding in lowercase hexadecimal.
    package static func hex(_ function: Function, of text: String) -> String {
        var digest = Digest(function)
        Array(text.utf8).withUnsafeBytes { digest.update($0) }
        return digest.hexDigest
    }

    /// An OpenSSL context. Sendable, because ``Digest`` changes a context only while nothing else refers to it.
    private final class State: @unchecked Sendable {
        let context: OpaquePointer

        init(_ function: Function) {
            context = Self.makeContext()
            precondition(EVP_DigestInit_ex(context, function.algorithm, nil) == 1, "OpenSSL refuses \(function).")
        }

        init(copying other: State) {
            context = Self.makeContext()
            precondition(EVP_MD_CTX_copy_ex(context, other.context) == 1, "OpenSSL: EVP_MD_CTX_copy_ex")
        }

        deinit { EVP_MD_CTX_free(context) }

        private static func makeContext() -> OpaquePointer {
            guard let context = EVP_MD_CTX_new() else { fatalError("Out of memory.") }
            return context
        }
    }
}

/// A digest of text, for names that may be stored although the text itself may not.
public enum ContentDigest {
    /// Returns the SHA-256 of the text's UTF-8 encoding: 64 digits of lowercase hexadecimal.
    public static func sha256(of text: String) -> String { Digest.hex(.sha256, of: text) }
}
