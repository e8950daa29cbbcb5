// SPDX-License-Identifier: Apache-2.0
import ToolSupport
import TransferEngine

/// Reads `sha256:HEX` or `sha512:HEX`.
struct ChecksumExpression {
    /// The checksum.
    let checksum: Checksum

    /// Reads `text`.
    ///
    /// - Throws: `UsageError` that says what was wrong.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let algorithm = Checksum.Algorithm(rawValue: parts[0].lowercased()) else {
            throw UsageError("the checksum '\(text)' must be sha256:HEX or sha512:HEX")
        }
        let digits = algorithm == .sha256 ? 64 : 128
        guard parts[1].count == digits, parts[1].allSatisfy(\.isHexDigit) else {
            throw UsageError(
                "the checksum '\(text)' must have \(digits) hexadecimal digits after '\(algorithm.rawValue):', "
                    + "it has \(parts[1].count) characters")
        }
        checksum = Checksum(algorithm: algorithm, hexDigest: parts[1])
    }
}
