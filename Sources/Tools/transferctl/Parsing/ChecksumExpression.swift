// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// Reads `sha256:HEX` or `sha512:HEX`.
struct ChecksumExpression {
    /// The checksum.
    let checksum: Checksum

    /// Reads `text`.
    ///
    /// - Throws: `UsageError` that says what was wrong.
    init(_ text: String) throws {
        do { checksum = try Checksum(parsing: text) } catch { throw UsageError("the checksum '\(text)' \(error)") }
    }
}
