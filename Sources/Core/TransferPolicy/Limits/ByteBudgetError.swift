// SPDX-License-Identifier: Apache-2.0

/// What is wrong with numbers that were given to a ``ByteBudget``.
public enum ByteBudgetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A budget below 0.
    case negativeLimit(Int64)
    /// A billing day that no month has.
    case billingDayOutOfRange(Int)
    /// Fewer bytes than none.
    case negativeBytes(Int64)
    /// Not a number of bytes: NaN, infinite, negative, or above what 63 bits hold.
    case notAByteCount(Double)

    /// Says what was given and what is allowed.
    public var description: String {
        switch self {
        case .negativeLimit(let bytes): "limit: \(bytes) bytes; 0 or more are allowed"
        case .billingDayOutOfRange(let day): "billing day: \(day); 1 to 31 are allowed"
        case .negativeBytes(let bytes): "bytes: \(bytes); 0 or more are allowed"
        case .notAByteCount(let number): "bytes: \(number); 0 to \(Int64.max) are allowed"
        }
    }
}
