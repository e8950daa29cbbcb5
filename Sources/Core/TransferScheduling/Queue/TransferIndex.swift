// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// Finds a transfer's place by its id, at four bytes a slot: the ids themselves are read from the places.
///
/// Open addressing with linear probing (Knuth, TAOCP 3, 6.4, algorithms L and R), at most 4/5 full.
// Guard: not copyable, so that whoever has it has the memory alone.
struct TransferIndex: ~Copyable, @unchecked Sendable {
    private static var empty: Int32 { -1 }
    private var slots: UnsafeMutablePointer<Int32>
    private var mask: Int
    private var shift: UInt64
    private var count = 0

    init() {
        mask = 1023
        shift = 64 - 10
        slots = .allocate(capacity: 1024)
        slots.initialize(repeating: Self.empty, count: 1024)
    }

    deinit { slots.deallocate() }

    @inline(__always)
    private func home(of id: Int64) -> Int {
        // Fibonacci hashing (Knuth, TAOCP 3, 6.4): ids come one after another.
        Int(truncatingIfNeeded: (UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15) >> shift)
    }

    /// The place of a transfer; nil where it is not here.
    @inline(__always)
    func find(_ id: Int64, in records: borrowing Pages<TransferRecord>) -> Int32? {
        var slot = home(of: id)
        while true {
            let place = slots[slot]
            if place == Self.empty { return nil }
            if records[place].pointee.id == id { return place }
            slot = (slot + 1) & mask
        }
    }

    /// Adds a transfer that is not here.
    @inline(__always)
    mutating func insert(_ id: Int64, at place: Int32, in records: borrowing Pages<TransferRecord>) {
        if (count + 1) * 5 > (mask + 1) * 4 { grow(records) }
        put(id, place)
        count += 1
    }

    @inline(__always)
    private func put(_ id: Int64, _ place: Int32) {
        var slot = home(of: id)
        while slots[slot] != Self.empty { slot = (slot + 1) & mask }
        slots[slot] = place
    }

    /// Takes a transfer out, while its place still holds its id.
    mutating func remove(_ id: Int64, in records: borrowing Pages<TransferRecord>) {
        var hole = home(of: id)
        while true {
            let place = slots[hole]
            if place == Self.empty { return }
            if records[place].pointee.id == id { break }
            hole = (hole + 1) & mask
        }
        count -= 1
        // What lies behind moves up, as far as that does not take it before its home.
        var slot = hole
        while true {
            slot = (slot + 1) & mask
            let place = slots[slot]
            if place == Self.empty { break }
            let distance = (slot - home(of: records[place].pointee.id)) & mask
            if distance >= (slot - hole) & mask {
                slots[hole] = place
                hole = slot
            }
        }
        slots[hole] = Self.empty
    }

    private mutating func grow(_ records: borrowing Pages<TransferRecord>) {
        let (old, oldCount) = (slots, mask + 1)
        mask = oldCount * 2 - 1
        shift -= 1
        slots = .allocate(capacity: oldCount * 2)
        slots.initialize(repeating: Self.empty, count: oldCount * 2)
        for slot in 0..<oldCount where old[slot] != Self.empty { put(records[old[slot]].pointee.id, old[slot]) }
        old.deallocate()
    }
}
