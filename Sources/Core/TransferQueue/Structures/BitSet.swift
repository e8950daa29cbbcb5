// SPDX-License-Identifier: Apache-2.0

/// A set of small nonnegative numbers, with one bit per number. The memory grows with the largest number inserted.
struct BitSet: Sendable {
    private(set) var words: [UInt64] = []

    @inline(__always)
    func contains(_ number: Int32) -> Bool { word(Int(number) >> 6) & 1 << UInt64(number & 63) != 0 }

    @inline(__always)
    mutating func set(_ number: Int32, _ isIn: Bool = true) {
        while words.count <= Int(number) >> 6 { words.append(0) }
        let bit = UInt64(1) << UInt64(number & 63)
        if isIn { words[Int(number) >> 6] |= bit } else { words[Int(number) >> 6] &= ~bit }
    }

    /// Sets the bits of the 64 numbers from `64 * index` on.
    mutating func setWord(_ index: Int, _ bits: UInt64) {
        while words.count <= index { words.append(0) }
        words[index] = bits
    }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// Returns the bits of the 64 numbers from `64 * index` on; 0 beyond the end of the set.
    @inline(__always)
    func word(_ index: Int) -> UInt64 { index < words.count ? words[index] : 0 }

    /// Returns whether the two sets have a number in common.
    @inline(__always)
    func intersects(_ other: BitSet) -> Bool {
        for index in words.indices where words[index] & other.word(index) != 0 { return true }
        return false
    }

    /// Calls `body` with each number that is also in `other`.
    @inline(__always)
    func forEach(in other: BitSet, _ body: (Int32) -> Void) {
        for index in words.indices {
            var bits = words[index] & other.word(index)
            while bits != 0 {
                body(Int32(truncatingIfNeeded: index << 6 | bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
    }
}
