// SPDX-License-Identifier: Apache-2.0

/// An error in the numbers given to a ``ByteBudget``.
public enum ByteBudgetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The limit is below 0. The value is in bytes.
    case negativeLimit(Int64)
    /// The billing day is not in 1…31.
    case billingDayOutOfRange(Int)
    /// The byte count is negative.
    case negativeBytes(Int64)
    /// The number is not a byte count: NaN, infinite, negative, or above 2⁶³ − 1.
    case notAByteCount(Double)

    /// A message with the rejected number and the permitted range.
    public var description: String {
        switch self {
        case .negativeLimit(let bytes): "limit must be at least 0 bytes, not \(bytes)"
        case .billingDayOutOfRange(let day): "billing day must be from 1 to 31, not \(day)"
        case .negativeBytes(let bytes): "byte count must be at least 0, not \(bytes)"
        case .notAByteCount(let number): "byte count must be from 0 to \(Int64.max), not \(number)"
        }
    }
}
