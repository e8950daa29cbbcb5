// SPDX-License-Identifier: Apache-2.0

// Public for the same reason as `Slab`.

/// An index from the IDs of transfers to their positions in a ``Slab``. The index is a hash table with open addressing
/// and linear probing, at most 4/5 full (Knuth, TAOCP 3, 6.4, algorithms L and R).
///
/// A slot takes 16 bytes. An operation costs a third of the standard library's dictionary, whose hashes withstand
/// maliciously chosen keys. The store assigns IDs in ascending order, so callers cannot choose them.
public struct IDIndex: Sendable {
    // ID and position are stored together, because each slot is elsewhere in memory.
    @usableFromInline struct Slot: Sendable {
        @usableFromInline var id: Int64 = 0
        /// The position; `noIndex` if the slot is empty.
        @usableFromInline var value = Int32.noIndex

        @inlinable init() {}

        @inlinable init(id: Int64, value: Int32) { (self.id, self.value) = (id, value) }
    }

    @usableFromInline var slots = Array(repeating: Slot(), count: 256)
    @usableFromInline var count = 0

    /// Creates an empty index.
    @inlinable public init() {}

    /// Returns the slot at which a search begins. Fibonacci hashing (Knuth, 6.4) spreads ascending IDs.
    @inlinable @inline(__always)
    func home(of id: Int64) -> Int {
        let hash = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: slots.count.leadingZeroBitCount + 1))
    }

    /// Returns the slot of an ID, or the empty slot where the ID belongs.
    @inlinable @inline(__always)
    func slot(of id: Int64) -> Int {
        var slot = home(of: id)
        while slots[slot].value != .noIndex, slots[slot].id != id { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    /// Returns the position of an ID; `nil` if the ID is unknown.
    @inlinable @inline(__always)
    public func find(_ id: Int64) -> Int32? {
        let value = slots[slot(of: id)].value
        return value == .noIndex ? nil : value
    }

    /// Adds an ID, which must not be in the index.
    @inlinable @inline(__always)
    public mutating func insert(_ id: Int64, _ value: Int32) {
        if (count + 1) * 5 > slots.count * 4 { grow() }
        slots[slot(of: id)] = Slot(id: id, value: value)
        count += 1
    }

    /// Removes an ID, if it is in the index.
    @inlinable @inline(__always)
    public mutating func remove(_ id: Int64) {
        var hole = slot(of: id)
        guard slots[hole].value != .noIndex else { return }
        count -= 1
        // Moves subsequent elements up, unless that would put an element before its home slot.
        var slot = hole
        while true {
            slot = (slot + 1) & (slots.count - 1)
            guard slots[slot].value != .noIndex else { break }
            if (slot - home(of: slots[slot].id)) & (slots.count - 1) >= (slot - hole) & (slots.count - 1) {
                slots[hole] = slots[slot]
                hole = slot
            }
        }
        slots[hole].value = .noIndex
    }

    /// Calls `body` with each ID and its position, in no particular order.
    public func forEach(_ body: (Int64, Int32) -> Void) {
        for slot in slots where slot.value != .noIndex { body(slot.id, slot.value) }
    }

    @inlinable @inline(never)
    mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: 2 * old.count)
        for slot in old where slot.value != .noIndex { slots[self.slot(of: slot.id)] = slot }
    }
}
