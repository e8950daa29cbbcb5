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
        case .negativeLimit(let bytes): "limit: \(bytes) bytes; 0 or more are allowed"
        case .billingDayOutOfRange(let day): "billing day: \(day); 1 to 31 are allowed"
        case .negativeBytes(let bytes): "bytes: \(bytes); 0 or more are allowed"
        case .notAByteCount(let number): "bytes: \(number); 0 to \(Int64.max) are allowed"
        }
    }
}
