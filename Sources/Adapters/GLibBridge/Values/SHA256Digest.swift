// SPDX-License-Identifier: Apache-2.0
import CGIO

/// The SHA-256 digests that GLib computes.
package enum SHA256Digest {
    /// Returns the digest of some bytes as 64 lowercase hexadecimal digits.
    package static func hexadecimal(of bytes: [UInt8]) -> String {
        guard let digits = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, gsize(bytes.count)) else { return "" }
        defer { g_free(digits) }
        return String(cString: digits)
    }
}
