// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// Holds every moment the scheduler waits for and gives them out in order: up to millions of timers.
///
/// A hierarchical timing wheel (Varghese and Lauck, SOSP 1987) of eight levels with 64 slots, a slot of the lowest
/// being 2²⁰ ns wide and each level 64 times coarser, so that every `Int64` nanosecond has a slot and no timer is too
/// far away. A timer lies on the level of the highest digit in which it differs from the cursor, and moves down when
/// the cursor reaches its slot. Whatever the input, nothing traps: what lies before the cursor goes to one more slot,
/// which comes first.
///
/// A slot is a list that is put in order no further than it is asked about: it remembers its earliest timer, and where
/// that one was taken away, the list becomes a pairing heap. So the earliest is exact to the nanosecond however coarse
/// its slot, at a cost logarithmic in what shares the slot, averaged over many calls; inserting takes constant time,
/// and so does cancelling a timer that no such heap has taken in. Places are reused: nothing is allocated unless there
/// are more timers than ever before. Each takes 32 bytes, never given back.
package struct TimerWheel: ~Copyable, Sendable {
    /// Names one inserted timer. Once it has fired or was cancelled, its handle means nothing.
    ///
    /// A place would have to be reused 2³¹ times for an old handle to name another timer.
    package struct Handle: Hashable, Sendable {
        let index: UInt32
        let generation: UInt32
    }

    /// A timer that has come due.
    package struct Fired: Hashable, Sendable {
        /// When it was due.
        package let deadline: Instant
        /// What was inserted with it.
        package let payload: Int64
    }

    /// How many timers wait.
    package private(set) var count = 0

    private var nodes: TimerStorage
    /// No timer outside the early slot has a smaller tick. It moves only onto the earliest timer, or when all is empty.
    private var cursor: UInt64
    /// Each slot's timers; the last one holds what lies before the cursor.
    private var slots: InlineArray<513, TimerSlot> = .init(repeating: TimerSlot())
    /// One bit per slot that is not empty, and one per level.
    private var occupied: InlineArray<8, UInt64> = .init(repeating: 0)
    private var occupiedLevels: UInt8 = 0
    private static let earlySlot = 512

    /// A wheel without timers.
    ///
    /// - Parameter minimumCapacity: how many timers it takes before it allocates.
    package init(minimumCapacity: Int = 0, startingAt now: Instant = .zero) {
        nodes = TimerStorage(minimumCapacity: minimumCapacity)
        cursor = TimerNode.key(of: now) >> TimerNode.tickBits
    }

    /// When the earliest timer is due, exactly; nil where none waits.
    package var nextDeadline: Instant? {
        mutating get {
            firstSlot.map { TimerNode.instant(of: nodes[earliest(of: $0)].key) }
        }
    }

    /// When the timer is due; nil where it has fired or was cancelled.
    package func deadline(of handle: Handle) -> Instant? {
        isWaiting(handle) ? TimerNode.instant(of: nodes[handle.index].key) : nil
    }

    /// Adds a timer. One that is due already fires at the next look.
    package mutating func insert(_ payload: Int64, at deadline: Instant) -> Handle {
        let index = nodes.take(key: TimerNode.key(of: deadline), payload: payload)
        count += 1
        place(index)
        return Handle(index: index, generation: nodes[index].generation)
    }

    /// Takes a timer away; false where it has fired or was cancelled before.
    @discardableResult
    package mutating func cancel(_ handle: Handle) -> Bool {
        guard isWaiting(handle) else { return false }
        take(handle.index, from: slot(for: nodes[handle.index].key))
        return true
    }

    /// Takes away the timer at a handle's place, by somebody who knows that it waits.
    mutating func cancelWaiting(at index: UInt32) { take(index, from: slot(for: nodes[index].key)) }

    /// Takes out the earliest timer if it is due at `now`.
    ///
    /// Equal deadlines come in the order of their payloads.
    package mutating func popFirst(dueAt now: Instant) -> Fired? {
        while let slot = firstSlot {
            let index = earliest(of: slot)
            let (deadline, payload) = (TimerNode.instant(of: nodes[index].key), nodes[index].payload)
            guard deadline <= now else { return nil }
            if slot < 64 || slot == Self.earlySlot {
                take(index, from: slot)
                return Fired(deadline: deadline, payload: payload)
            }
            spread(slot, from: index)
        }
        // Nothing holds the cursor back, and closer to the present the slots are finer.
        cursor = TimerNode.key(of: now) >> TimerNode.tickBits
        return nil
    }

    /// Takes out everything that is due at `now`, earliest first, equal deadlines in the order of their payloads.
    package mutating func advance(to now: Instant, _ body: (Fired) -> Void) {
        while let fired = popFirst(dueAt: now) { body(fired) }
    }

    // MARK: Slots

    @inline(__always)
    private func isWaiting(_ handle: Handle) -> Bool {
        nodes.isTaken(handle.index, generation: handle.generation)
    }

    /// The slot with the earliest timer: a lower level lies wholly before a higher one.
    private var firstSlot: Int? {
        if !slots[Self.earlySlot].isEmpty { return Self.earlySlot }
        guard occupiedLevels != 0 else { return nil }
        let level = occupiedLevels.trailingZeroBitCount
        return level << 6 | occupied[level].trailingZeroBitCount
    }

    /// Where a timer belongs, seen from the cursor; the same until the cursor enters its slot.
    // In line, as whatever else reads of so large a value in a method that changes it takes a copy of the whole.
    @inline(__always)
    private func slot(for key: UInt64) -> Int {
        let tick = key >> TimerNode.tickBits
        guard tick >= cursor else { return Self.earlySlot }
        // The number of the highest bit that differs, divided by the six bits of a digit.
        let level = (63 - ((tick ^ cursor) | 1).leadingZeroBitCount) / 6
        return level << 6 | Int(truncatingIfNeeded: tick >> UInt64(6 * level) & 63)
    }

    @inline(__always)
    private mutating func place(_ index: UInt32) {
        let slot = slot(for: nodes[index].key)
        let wasEmpty = slots[slot].isEmpty
        nodes.add(index, to: &slots[slot])
        guard wasEmpty, slot != Self.earlySlot else { return }
        occupied[slot >> 6] |= 1 << UInt64(slot & 63)
        occupiedLevels |= 1 << UInt8(slot >> 6)
    }

    /// The earliest timer of a slot that is not empty.
    private mutating func earliest(of slot: Int) -> UInt32 {
        let known = slots[slot].earliest
        return known == TimerNode.none ? nodes.order(&slots[slot]) : known
    }

    /// Takes a timer out of its slot and frees its place.
    private mutating func take(_ index: UInt32, from slot: Int) {
        nodes.remove(index, from: &slots[slot])
        if slots[slot].isEmpty { markEmpty(slot) }
        nodes.release(index)
        count -= 1
    }

    private mutating func markEmpty(_ slot: Int) {
        guard slot != Self.earlySlot else { return }
        let level = slot >> 6
        occupied[level] &= ~(1 << UInt64(slot & 63))
        if occupied[level] == 0 { occupiedLevels &= ~(1 << UInt8(level)) }
    }

    /// Moves the cursor onto the earliest timer, which lies in `slot`, and the slot's timers to the levels below.
    private mutating func spread(_ slot: Int, from earliest: UInt32) {
        cursor = nodes[earliest].key >> TimerNode.tickBits
        var lists = slots[slot].first
        slots[slot] = TimerSlot()
        markEmpty(slot)
        while lists != TimerNode.none { place(nodes.popFirst(of: &lists)) }
    }
}
