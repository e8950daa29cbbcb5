// SPDX-License-Identifier: Apache-2.0

extension Checksum {
    /// Reads `sha256:HEX` or `sha512:HEX`.
    ///
    /// - Throws: `ChecksumSyntaxError` that says what it must be.
    public init(parsing text: String) throws(ChecksumSyntaxError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else {
            throw ChecksumSyntaxError(description: "must be sha256:HEX or sha512:HEX")
        }
        let digits = algorithm == .sha256 ? 64 : 128
        guard parts[1].count == digits, parts[1].utf8.count == digits, parts[1].allSatisfy(\.isHexDigit) else {
            throw ChecksumSyntaxError(
                description: "must have \(digits) hexadecimal digits after '\(algorithm.rawValue):', "
                    + "it has \(parts[1].count) characters")
        }
        self.init(algorithm: algorithm, hexDigest: parts[1])
    }
}

/// Text that is no checksum.
public struct ChecksumSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What it must be; follows the name of what was wrong.
    public var description: String

    /// An error.
    public init(description: String) { self.description = description }
}
