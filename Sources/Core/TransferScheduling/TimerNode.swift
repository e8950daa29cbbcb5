// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// One place of a ``TimerWheel``: a timer as a member of its slot's heap, or a free place.
///
/// Links are indices into the wheel's storage. 32 bytes, so that no node straddles two cache lines.
struct TimerNode: Sendable {
    /// Stands for "no node".
    static let none = UInt32.max
    /// A tick, the width of the finest slot, is 2²⁰ ns, about a millisecond.
    static let tickBits: UInt64 = 20

    /// The deadline, moved so that unsigned order is time's order.
    var key: UInt64
    var payload: Int64
    /// Odd while a timer is here; counted up whenever one comes or goes, so that old handles do not fit.
    var generation: UInt32 = 1
    /// The sibling before, or the parent of a first child; none at a root.
    var previous = none
    /// The sibling behind; the next free place where no timer is here.
    var next = none
    /// The first child. Children are never due before their parent.
    var child = none

    /// The first timer at a place.
    init(key: UInt64, payload: Int64) {
        self.key = key
        self.payload = payload
    }

    static func key(of instant: Instant) -> UInt64 { UInt64(bitPattern: instant.nanoseconds) ^ (1 << 63) }

    static func instant(of key: UInt64) -> Instant { Instant(nanoseconds: Int64(bitPattern: key ^ (1 << 63))) }
}

/// What lies in one slot of a ``TimerWheel``: a list of heaps, most of them single timers.
struct TimerSlot: Sendable {
    /// The first of the list.
    var first = TimerNode.none
    /// The earliest, which is a root; none where that is not known.
    var earliest = TimerNode.none

    var isEmpty: Bool { first == TimerNode.none }
}
