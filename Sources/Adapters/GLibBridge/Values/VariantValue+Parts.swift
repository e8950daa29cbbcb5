// SPDX-License-Identifier: Apache-2.0

/// The parts of a value, by its kind.
extension VariantValue {
    /// The text; nil for other kinds.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The whole number; nil for other kinds.
    package var integer: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    /// The dictionary; nil for other kinds.
    package var dictionary: [String: VariantValue]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }

    /// The items of a list; none for other kinds.
    package var items: [VariantValue] {
        guard case .list(let items) = self else { return [] }
        return items
    }
}
