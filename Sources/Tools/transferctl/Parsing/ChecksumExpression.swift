// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferModel

/// A parser for checksums: `sha256:HEX` or `sha512:HEX`.
struct ChecksumExpression {
    /// The parsed checksum.
    let checksum: Checksum

    /// Parses `text`.
    ///
    /// - Throws: `UsageError` with a description of the error.
    init(_ text: String) throws {
        do { checksum = try Checksum(parsing: text) } catch { throw UsageError("the checksum '\(text)' \(error)") }
    }
}
