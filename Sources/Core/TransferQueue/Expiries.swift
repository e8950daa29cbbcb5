// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The times at which transfers expire by the wall clock, whether they wait or run.
package struct Expiries: ~Copyable, Sendable {
    private var expiries = Slab<Expiry>()
    private var heap = IndexedHeap<Order>()
    private var index = IDIndex()

    private struct Expiry: Sendable {
        let id: TransferID
        var position = Int32.noIndex
    }

    /// An order by date, then by ID.
    private struct Order: Comparable, Sendable {
        let date: WallTime
        let id: TransferID

        static func < (left: Order, right: Order) -> Bool {
            left.date != right.date ? left.date < right.date : left.id < right.id
        }
    }

    package init() {}

    // Explicit, so that the members are destroyed in this module. The compiler fails to destroy them in another
    // module.
    deinit {}

    /// The earliest date; `nil` if there is none.
    package var next: WallTime? {
        // Inlined, so that reading the date copies nothing.
        @inline(__always) get { heap.firstKey?.date }
    }

    package mutating func add(_ id: TransferID, at date: WallTime) {
        let expiryIndex = expiries.insert(Expiry(id: id))
        index.insert(id.rawValue, expiryIndex)
        heap.insert(expiryIndex, Order(date: date, id: id)) { expiries[$0].pointee.position = $1 }
    }

    package mutating func remove(_ id: TransferID) {
        guard !heap.isEmpty, let expiryIndex = index.find(id.rawValue) else { return }
        heap.remove(at: expiries[expiryIndex].pointee.position) { expiries[$0].pointee.position = $1 }
        index.remove(id.rawValue)
        expiries.release(expiryIndex)
    }

    /// Removes and returns the first transfer that has expired; `nil` if there is none.
    package mutating func popFirst(at now: WallTime) -> TransferID? {
        guard let first = heap.firstKey, first.date <= now else { return nil }
        remove(first.id)
        return first.id
    }
}
