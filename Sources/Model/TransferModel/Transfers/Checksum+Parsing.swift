// SPDX-License-Identifier: Apache-2.0

extension Checksum {
    /// Parses a checksum of the form `sha256:HEX` or `sha512:HEX`.
    ///
    /// - Throws: `ChecksumSyntaxError` with the expected form.
    public init(parsing text: String) throws(ChecksumSyntaxError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let algorithm = Algorithm(rawValue: parts[0].lowercased()) else {
            throw ChecksumSyntaxError(description: "must be sha256:HEX or sha512:HEX")
        }
        let digits = algorithm == .sha256 ? 64 : 128
        guard parts[1].count == digits, parts[1].utf8.count == digits, parts[1].allSatisfy(\.isHexDigit) else {
            throw ChecksumSyntaxError(
                description: "must have \(digits) hexadecimal digits after '\(algorithm.rawValue):', "
                    + "not \(parts[1].count) characters")
        }
        self.init(algorithm: algorithm, hexDigest: parts[1])
    }
}

/// An error for text that is not a checksum.
public struct ChecksumSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The expected form, worded to follow the name of the rejected value.
    public var description: String

    /// Creates an error with a description.
    public init(description: String) { self.description = description }
}
