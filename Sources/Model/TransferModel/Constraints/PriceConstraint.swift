// SPDX-License-Identifier: Apache-2.0

/// The price of energy below which a transfer may run. An unknown price is not below any limit.
///
/// ```swift
/// let cheap = PriceConstraint(below: 0.2)
/// ```
public struct PriceConstraint: Hashable, Sendable, Codable {
    /// The limit, in the unit of the price curve. Finite, and possibly negative.
    public let below: Double

    /// Creates a constraint, or `nil` if the limit is not a finite number.
    public init?(below: Double) {
        guard below.isFinite else { return nil }
        self.below = below
    }

    /// Decodes a stored constraint.
    ///
    /// - Throws: A `DecodingError` if the limit is not a finite number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let limit = try container.decode(Double.self, forKey: .below)
        guard limit.isFinite else {
            throw DecodingError.dataCorruptedError(
                forKey: .below, in: container, debugDescription: "a price limit must be a finite number")
        }
        below = limit
    }

    private enum CodingKeys: String, CodingKey { case below }
}
