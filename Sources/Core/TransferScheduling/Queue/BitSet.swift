// SPDX-License-Identifier: Apache-2.0

/// A set of small numbers, one bit each.
struct BitSet: Hashable, Sendable {
    private(set) var words: [UInt64]

    /// The empty set of numbers below `capacity`.
    init(capacity: Int) { words = Array(repeating: 0, count: (capacity + 63) / 64) }

    func contains(_ number: Int32) -> Bool { words[Int(number) >> 6] & 1 << UInt64(number & 63) != 0 }

    mutating func insert(_ number: Int32) { words[Int(number) >> 6] |= 1 << UInt64(number & 63) }

    mutating func remove(_ number: Int32) { words[Int(number) >> 6] &= ~(1 << UInt64(number & 63)) }

    mutating func set(_ number: Int32, _ isIn: Bool) {
        if isIn { insert(number) } else { remove(number) }
    }

    mutating func removeAll() {
        for index in words.indices { words[index] = 0 }
    }

    mutating func formUnion(_ other: BitSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    mutating func subtract(_ other: BitSet) {
        for index in words.indices { words[index] &= ~other.words[index] }
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Whether the two have a number in common.
    func intersects(_ other: BitSet) -> Bool {
        for index in words.indices where words[index] & other.words[index] != 0 { return true }
        return false
    }

    /// Whether the three have a number in common.
    func intersects(_ other: BitSet, _ third: BitSet) -> Bool {
        for index in words.indices where words[index] & other.words[index] & third.words[index] != 0 { return true }
        return false
    }

    /// Calls `body` with each number.
    func forEach(_ body: (Int32) -> Void) { forEach(in: self, body) }

    /// Calls `body` with each number that is in `other` too.
    @inline(__always)
    func forEach(in other: BitSet, _ body: (Int32) -> Void) {
        for index in words.indices {
            var bits = words[index] & other.words[index]
            while bits != 0 {
                body(Int32(truncatingIfNeeded: index << 6 | bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
    }

    /// Makes room for numbers below `capacity`.
    mutating func grow(to capacity: Int) {
        let missing = (capacity + 63) / 64 - words.count
        if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
    }
}
