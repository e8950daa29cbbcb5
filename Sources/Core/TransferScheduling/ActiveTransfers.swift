// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// The transfers with an attempt, in the order of their starts.
///
/// Each stays where it was put, and only small numbers move up when one before it ends: with many slots, moving whole
/// transfers would cost more than all else that an end does. What has ended stays in its place until that is used again.
struct ActiveTransfers: RandomAccessCollection, MutableCollection, Sendable {
    private var places: [ActiveTransfer] = []
    /// Places by order.
    private var order: [Int32] = []
    /// Whose attempts these are, by order.
    private var ids: [TransferID] = []
    private var free: [Int32] = []

    var startIndex: Int { 0 }
    var endIndex: Int { order.count }

    subscript(index: Int) -> ActiveTransfer {
        _read { yield places[Int(order[index])] }
        _modify { yield &places[Int(order[index])] }
    }

    /// Where a transfer is; nil where it has no attempt.
    func index(of id: TransferID) -> Int? { ids.firstIndex(of: id) }

    /// When time alone may stop one of them, at the earliest.
    var look: Instant? {
        var earliest: Instant?
        for place in order { earliest = Verdict.earlier(earliest, places[Int(place)].look) }
        return earliest
    }

    mutating func append(_ transfer: consuming ActiveTransfer) {
        ids.append(transfer.id)
        if let place = free.popLast() {
            order.append(place)
            places[Int(place)] = transfer
        } else {
            order.append(Int32(places.count))
            places.append(transfer)
        }
    }

    mutating func remove(at index: Int) -> ActiveTransfer {
        ids.remove(at: index)
        let place = order.remove(at: index)
        free.append(place)
        return places[Int(place)]
    }
}
