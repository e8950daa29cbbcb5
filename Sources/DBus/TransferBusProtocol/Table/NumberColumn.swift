// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// A column of numbers in a table of transfers. An unknown number is −1.
struct NumberColumn {
    private(set) var numbers: [Int64] = []
    private var hasValues = false

    /// Creates an empty column with room for `count` numbers.
    init(_ count: Int) { numbers.reserveCapacity(count) }

    /// Creates a column from its value in a table or a packed table; returns `nil` for other values.
    init?(_ value: VariantValue) {
        switch value {
        case .list(let items): numbers = items.map { $0.integer ?? -1 }
        case .bytes(let bytes):
            let size = MemoryLayout<Int64>.size
            guard bytes.count.isMultiple(of: size) else { return nil }
            numbers = bytes.withUnsafeBytes { bytes in
                (0..<bytes.count / size).map {
                    Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * size, as: Int64.self))
                }
            }
        default: return nil
        }
    }

    mutating func add(_ number: Int64?) {
        numbers.append(number ?? -1)
        if number != nil { hasValues = true }
    }

    /// The column in a table.
    var value: VariantValue { .list(numbers.map(VariantValue.integer)) }

    /// The column in a packed table; `nil` if all numbers are unknown.
    var packed: VariantValue? { hasValues ? Self.packed(numbers) : nil }

    /// Returns numbers as little-endian bytes.
    static func packed(_ numbers: [Int64]) -> VariantValue {
        // A key path instead of the closure took a fifth of the time of a list.
        .bytes(numbers.map { $0.littleEndian }.withUnsafeBytes(Array.init))
    }

    /// Accesses the number of a row. A missing column has no number in any row.
    subscript(row: Int) -> Int64? {
        guard row < numbers.count, case let number = numbers[row], number != -1 else { return nil }
        return number
    }
}
