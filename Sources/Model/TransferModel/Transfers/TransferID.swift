// SPDX-License-Identifier: Apache-2.0

/// Names one transfer. Given by the store in the order of submission, never reused; Core makes none up.
public struct TransferID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number.
    public let rawValue: Int64

    /// The identifier with that number.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// A bare number when encoded.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// A bare number when encoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }

    /// The number in decimal.
    public var description: String { String(rawValue) }

    /// Orders by submission.
    public static func < (left: TransferID, right: TransferID) -> Bool { left.rawValue < right.rawValue }
}
