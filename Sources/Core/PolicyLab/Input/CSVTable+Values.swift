// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

extension CSVTable {
    /// Returns the field in a column that the file is known to have.
    private func requiredField(_ name: String, _ row: Row) -> Field { field(name, row) ?? row.fields[0] }

    /// Returns the field as a date in Unix seconds.
    func time(_ name: String, _ row: Row) throws(InputError) -> WallTime {
        let field = requiredField(name, row)
        // The limit keeps calculations with two dates from overflowing: ±4·10⁹ s are the years 1843 to 2096.
        guard let nanos = Decimal.nanos(field.text), nanos.magnitude <= 4_000_000_000_000_000_000 else {
            throw error(field, row, expected: "Unix seconds in \(name)")
        }
        return WallTime(nanosecondsSinceEpoch: nanos)
    }

    /// Returns the field as one of several words.
    func choice<Value: RawRepresentable<String>>(
        _ name: String, _ row: Row, _ choices: [Value]
    ) throws(InputError) -> Value {
        let field = requiredField(name, row)
        guard let value = Value(rawValue: field.text) else {
            throw error(field, row, expected: "\(choices.map(\.rawValue).joined(separator: ", ")) in \(name)")
        }
        return value
    }

    /// Returns the field as a number in a range; `nil` if the field is empty or missing.
    func number(_ name: String, _ row: Row, in range: ClosedRange<Double>) throws(InputError) -> Double? {
        guard let field = field(name, row), !field.text.isEmpty else { return nil }
        guard let value = Double(field.text), range.contains(value) else {
            throw error(
                field, row, expected: "a number from \(range.lowerBound) to \(range.upperBound) in \(name), or nothing")
        }
        return value
    }

    /// Returns the field as a whole number in a range; `nil` if the field is empty or missing.
    func count(_ name: String, _ row: Row, in range: ClosedRange<Int64>) throws(InputError) -> Int64? {
        guard let field = field(name, row), !field.text.isEmpty else { return nil }
        guard let value = Decimal.whole(field.text), range.contains(value) else {
            throw error(
                field, row, expected: "a whole number from \(range.lowerBound) to \(range.upperBound) in \(name)")
        }
        return value
    }

    /// Returns the field as a Boolean value; `nil` if the field is empty or missing.
    func flag(_ name: String, _ row: Row) throws(InputError) -> Bool? {
        guard let field = field(name, row), !field.text.isEmpty else { return nil }
        switch field.text {
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: throw error(field, row, expected: "1, 0, or nothing in \(name)")
        }
    }
}
