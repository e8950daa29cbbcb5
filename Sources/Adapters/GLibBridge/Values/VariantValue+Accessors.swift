// SPDX-License-Identifier: Apache-2.0

/// Accessors for the payload of each case.
extension VariantValue {
    /// The string; `nil` for other cases.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The integer; `nil` for other cases.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The dictionary; `nil` for other cases.
    package var dictionary: [String: VariantValue]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }

    /// The items of a list; empty for other cases.
    package var items: [VariantValue] {
        guard case .list(let items) = self else { return [] }
        return items
    }
}
