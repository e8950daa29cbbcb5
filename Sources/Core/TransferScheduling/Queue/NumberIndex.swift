// SPDX-License-Identifier: Apache-2.0

/// Finds the numbers of things by a hash of what names them, at four bytes a slot: the names are read from the things.
///
/// Open addressing with linear probing (Knuth, TAOCP 3, 6.4, algorithms L and R), at most 4/5 full.
// Guard: not copyable, so that whoever has it has the memory alone.
struct NumberIndex: ~Copyable, @unchecked Sendable {
    private static var empty: Int32 { -1 }
    /// From how many slots on neighbours are kept together: fewer lie in the processor's cache wherever they are, and there
    /// the longer runs, which each removal goes through, cost more.
    private static var large: Int { 1 << 16 }
    private var slots: UnsafeMutablePointer<Int32>
    private var mask = 0
    private var shift: UInt64 = 0
    private var count = 0
    private let neighbours: UInt64
    /// How many of a hash's lowest bits say where in its group it belongs.
    private var groupBits: UInt64 = 0

    /// - Parameter neighbours: so many of a hash's lowest bits are not spread in a large table: what differs in these only
    ///   lies side by side. For hashes that count up, so that those that come one after the other touch memory one after
    ///   the other.
    init(neighbours: UInt64 = 0) {
        self.neighbours = neighbours
        slots = Self.room(for: 256)
        measure(256)
    }

    deinit { slots.deallocate() }

    @inline(__always)
    private func home(of hash: UInt64) -> Int {
        // Fibonacci hashing (Knuth, TAOCP 3, 6.4): what counts up is spread out.
        let group = ((hash &>> groupBits) &* 0x9E37_79B9_7F4A_7C15) &>> shift
        return Int(truncatingIfNeeded: group &<< groupBits | hash & (1 &<< groupBits &- 1))
    }

    /// The number that `matches`, among those with the same hash or by chance near it; nil where none does.
    @inline(__always)
    func find(_ hash: UInt64, matches: (Int32) -> Bool) -> Int32? {
        var slot = home(of: hash)
        while true {
            let number = slots[slot]
            if number == Self.empty { return nil }
            if matches(number) { return number }
            slot = (slot + 1) & mask
        }
    }

    /// Where a search for a hash begins.
    @inline(__always)
    func start(_ hash: UInt64) -> Int { home(of: hash) }

    /// The next number of a search; nil at its end.
    @inline(__always)
    func next(_ slot: inout Int) -> Int32? {
        let number = slots[slot]
        slot = (slot + 1) & mask
        return number == Self.empty ? nil : number
    }

    /// Adds a number that is not here.
    @inline(__always)
    mutating func insert(_ hash: UInt64, _ number: Int32, hashOf: (Int32) -> UInt64) {
        if isFull { grow(hashOf) }
        put(hash, number)
        count += 1
    }

    /// Whether the next number takes more room.
    var isFull: Bool { (count + 1) * 5 > (mask + 1) * 4 }

    /// Makes more room and forgets all numbers, for an owner that adds them again in the order in which they lie in memory.
    mutating func clearForMore() {
        slots.deallocate()
        count = 0
        measure(2 * (mask + 1))
        slots = Self.room(for: mask + 1)
    }

    /// Takes note of how many slots there are: a power of two.
    private mutating func measure(_ capacity: Int) {
        mask = capacity - 1
        groupBits = capacity >= Self.large ? neighbours : 0
        shift = UInt64(64 - capacity.trailingZeroBitCount) + groupBits
    }

    private static func room(for capacity: Int) -> UnsafeMutablePointer<Int32> {
        let slots = UnsafeMutablePointer<Int32>.allocate(capacity: capacity)
        slots.initialize(repeating: empty, count: capacity)
        return slots
    }

    @inline(__always)
    private func put(_ hash: UInt64, _ number: Int32) {
        var slot = home(of: hash)
        while slots[slot] != Self.empty { slot = (slot + 1) & mask }
        slots[slot] = number
    }

    /// Takes a number out, while its hash can still be told.
    @inline(__always)
    mutating func remove(_ hash: UInt64, _ number: Int32, hashOf: (Int32) -> UInt64) {
        var hole = home(of: hash)
        while slots[hole] != number {
            if slots[hole] == Self.empty { return }
            hole = (hole + 1) & mask
        }
        count -= 1
        // What lies behind moves up, as far as that does not take it before its home.
        var slot = hole
        while true {
            slot = (slot + 1) & mask
            let moving = slots[slot]
            if moving == Self.empty { break }
            let distance = (slot - home(of: hashOf(moving))) & mask
            if distance >= (slot - hole) & mask {
                slots[hole] = moving
                hole = slot
            }
        }
        slots[hole] = Self.empty
    }

    private mutating func grow(_ hashOf: (Int32) -> UInt64) {
        let (old, oldCount) = (slots, mask + 1)
        measure(2 * oldCount)
        slots = Self.room(for: 2 * oldCount)
        for slot in 0..<oldCount where old[slot] != Self.empty { put(hashOf(old[slot]), old[slot]) }
        old.deallocate()
    }
}
