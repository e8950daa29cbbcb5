// SPDX-License-Identifier: Apache-2.0

// Public for the same reason as `Slab`.

/// Finds the places of transfers by their ids: a hash table with open addressing and linear probing (Knuth, TAOCP 3, 6.4,
/// algorithms L and R), at most 4/5 full.
///
/// 12 bytes a slot, and a third of what the library's dictionary costs, whose hashes are proof against chosen keys: ids
/// are counted up by the store, so nobody chooses them.
public struct IDIndex: Sendable {
    @usableFromInline var ids: [Int64]
    /// `nowhere` where a slot is empty.
    @usableFromInline var places: [Int32]
    @usableFromInline var count = 0

    /// An empty index.
    @inlinable public init() {
        (ids, places) = (Array(repeating: 0, count: 256), Array(repeating: .nowhere, count: 256))
    }

    /// The slot where a search begins. Fibonacci hashing (Knuth, 6.4): ids that count up are spread out.
    @inlinable @inline(__always)
    func home(of id: Int64) -> Int {
        let hash = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: ids.count.leadingZeroBitCount + 1))
    }

    /// The slot of an id, or the empty one where it belongs.
    @inlinable @inline(__always)
    func slot(of id: Int64) -> Int {
        var slot = home(of: id)
        while places[slot] != .nowhere, ids[slot] != id { slot = (slot + 1) & (ids.count - 1) }
        return slot
    }

    /// The place of an id; nil if the id is unknown.
    @inlinable @inline(__always)
    public func find(_ id: Int64) -> Int32? {
        let place = places[slot(of: id)]
        return place == .nowhere ? nil : place
    }

    /// Adds an id that is not here.
    @inlinable @inline(__always)
    public mutating func insert(_ id: Int64, _ place: Int32) {
        if (count + 1) * 5 > ids.count * 4 { grow() }
        let slot = slot(of: id)
        (ids[slot], places[slot]) = (id, place)
        count += 1
    }

    /// Removes an id, if it is here.
    @inlinable @inline(__always)
    public mutating func remove(_ id: Int64) {
        var hole = slot(of: id)
        guard places[hole] != .nowhere else { return }
        count -= 1
        // What lies behind moves up, as far as that does not take it before its home.
        var slot = hole
        while true {
            slot = (slot + 1) & (ids.count - 1)
            guard places[slot] != .nowhere else { break }
            if (slot - home(of: ids[slot])) & (ids.count - 1) >= (slot - hole) & (ids.count - 1) {
                (ids[hole], places[hole]) = (ids[slot], places[slot])
                hole = slot
            }
        }
        places[hole] = .nowhere
    }

    /// Calls `body` with each id and its place, in no order.
    public func forEach(_ body: (Int64, Int32) -> Void) {
        for slot in ids.indices where places[slot] != .nowhere { body(ids[slot], places[slot]) }
    }

    @inlinable @inline(never)
    mutating func grow() {
        let (oldIDs, oldPlaces) = (ids, places)
        ids = Array(repeating: 0, count: 2 * oldIDs.count)
        places = Array(repeating: .nowhere, count: 2 * oldIDs.count)
        for old in oldIDs.indices where oldPlaces[old] != .nowhere {
            let slot = slot(of: oldIDs[old])
            (ids[slot], places[slot]) = (oldIDs[old], oldPlaces[old])
        }
    }
}
