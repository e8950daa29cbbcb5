// SPDX-License-Identifier: Apache-2.0

/// The unique identifier of a transfer.
///
/// The store assigns identifiers in the order of submission and never reuses one. Core never creates new identifiers.
///
/// ```swift
/// let first = TransferID(1)
/// ```
public struct TransferID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number of the transfer.
    public let rawValue: Int64

    /// Creates the identifier with the given number.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Decodes the identifier from a plain number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the identifier as a plain number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The number in decimal notation.
    public var description: String { String(rawValue) }

    /// Orders identifiers by submission.
    public static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}
