// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// A digest of text, for names that may be kept where the text itself may not.
public enum ContentDigest {
    /// The SHA-256 of the text's UTF-8 in lower-case hexadecimal, 64 digits.
    public static func sha256(of text: String) -> String {
        var hasher = BodyHasher(.sha256)
        Array(text.utf8).withUnsafeBytes { hasher.update($0) }
        return hasher.hexDigest
    }
}
