// SPDX-License-Identifier: Apache-2.0
import TransferEngine
internal import TransferModel

/// A digest of text, for names that may be stored although the text itself may not.
public enum ContentDigest {
    /// Returns the SHA-256 of the text's UTF-8 encoding: 64 digits of lowercase hexadecimal.
    public static func sha256(of text: String) -> String { Digest.hex(.sha256, of: text) }
}
