// SPDX-License-Identifier: Apache-2.0

// Public for the same reason as `Slab`.

/// Finds the places of transfers by their ids: a hash table with open addressing and linear probing (Knuth, TAOCP 3, 6.4,
/// algorithms L and R), at most 4/5 full.
///
/// 16 bytes a slot, and a third of what the library's dictionary costs, whose hashes are proof against chosen keys: ids
/// are counted up by the store, so nobody chooses them.
public struct IDIndex: Sendable {
    // Side by side, since each slot is somewhere else in memory.
    @usableFromInline struct Slot: Sendable {
        @usableFromInline var id: Int64 = 0
        /// `nowhere` where the slot is empty.
        @usableFromInline var place = Int32.nowhere

        @inlinable init() {}

        @inlinable init(id: Int64, place: Int32) { (self.id, self.place) = (id, place) }
    }

    @usableFromInline var slots = Array(repeating: Slot(), count: 256)
    @usableFromInline var count = 0

    /// An empty index.
    @inlinable public init() {}

    /// The slot where a search begins. Fibonacci hashing (Knuth, 6.4): ids that count up are spread out.
    @inlinable @inline(__always)
    func home(of id: Int64) -> Int {
        let hash = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: slots.count.leadingZeroBitCount + 1))
    }

    /// The slot of an id, or the empty one where it belongs.
    @inlinable @inline(__always)
    func slot(of id: Int64) -> Int {
        var slot = home(of: id)
        while slots[slot].place != .nowhere, slots[slot].id != id { slot = (slot + 1) & (slots.count - 1) }
        return slot
    }

    /// The place of an id; nil if the id is unknown.
    @inlinable @inline(__always)
    public func find(_ id: Int64) -> Int32? {
        let place = slots[slot(of: id)].place
        return place == .nowhere ? nil : place
    }

    /// Adds an id that is not here.
    @inlinable @inline(__always)
    public mutating func insert(_ id: Int64, _ place: Int32) {
        if (count + 1) * 5 > slots.count * 4 { grow() }
        slots[slot(of: id)] = Slot(id: id, place: place)
        count += 1
    }

    /// Removes an id, if it is here.
    @inlinable @inline(__always)
    public mutating func remove(_ id: Int64) {
        var hole = slot(of: id)
        guard slots[hole].place != .nowhere else { return }
        count -= 1
        // What lies behind moves up, as far as that does not take it before its home.
        var slot = hole
        while true {
            slot = (slot + 1) & (slots.count - 1)
            guard slots[slot].place != .nowhere else { break }
            if (slot - home(of: slots[slot].id)) & (slots.count - 1) >= (slot - hole) & (slots.count - 1) {
                slots[hole] = slots[slot]
                hole = slot
            }
        }
        slots[hole].place = .nowhere
    }

    /// Calls `body` with each id and its place, in no order.
    public func forEach(_ body: (Int64, Int32) -> Void) {
        for slot in slots where slot.place != .nowhere { body(slot.id, slot.place) }
    }

    @inlinable @inline(never)
    mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: 2 * old.count)
        for slot in old where slot.place != .nowhere { slots[self.slot(of: slot.id)] = slot }
    }
}
