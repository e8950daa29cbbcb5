// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// When transfers are given up, waiting or running, by the wall clock.
package struct Expiries: ~Copyable, Sendable {
    /// The earliest date; nil if there is none.
    package private(set) var next: WallTime?
    private var expiries = Slab<Expiry>()
    private var heap = IndexedHeap()
    private var index = IDIndex()

    private struct Expiry: Sendable {
        let id: TransferID
        let date: WallTime
        var position = Int32.nowhere
    }

    package init() {}

    // Stated, so that its parts are destroyed in this module: the compiler fails to do so in another one.
    deinit {}

    package mutating func add(_ id: TransferID, at date: WallTime) {
        let place = expiries.take(Expiry(id: id, date: date))
        index.insert(id.rawValue, place)
        heap.insert(place, { Self.precedes($0, $1, expiries) }, { expiries[$0].pointee.position = $1 })
        next = min(next ?? date, date)
    }

    package mutating func remove(_ id: TransferID) {
        guard next != nil, let place = index.find(id.rawValue) else { return }
        let position = expiries[place].pointee.position
        heap.remove(
            at: position, { Self.precedes($0, $1, expiries) }, { expiries[$0].pointee.position = $1 })
        index.remove(id.rawValue)
        expiries.release(place)
        next = heap.first.map { expiries[$0].pointee.date }
    }

    /// The earlier date first; of equal dates the lower id.
    private static func precedes(_ left: Int32, _ right: Int32, _ expiries: borrowing Slab<Expiry>) -> Bool {
        let (left, right) = (expiries[left], expiries[right])
        if left.pointee.date != right.pointee.date { return left.pointee.date < right.pointee.date }
        return left.pointee.id < right.pointee.id
    }

    /// Removes the next transfer whose time is up.
    package mutating func popFirst(at now: WallTime) -> TransferID? {
        guard let next, next <= now, let first = heap.first else { return nil }
        let id = expiries[first].pointee.id
        remove(id)
        return id
    }
}
