// SPDX-License-Identifier: Apache-2.0

/// The places of a ``TimerWheel``'s timers, and the lists and heaps that they form.
///
/// Lazy pairing heaps (Fredman, Sedgewick, Sleator, Tarjan 1986). Memory is reached by pointer, as the check that an
/// array is not shared costs more than the rest of an insertion: every index comes from a link that this type wrote,
/// except those of handles, which ``isTaken(_:generation:)`` checks.
// Guard: not copyable, so that whoever has it has the memory alone.
struct TimerStorage: ~Copyable, @unchecked Sendable {
    private var base: UnsafeMutablePointer<TimerNode>
    private var capacity: Int
    /// How many places were ever taken; those behind are not initialized.
    private var used = 0
    private var firstFree = TimerNode.none

    init(minimumCapacity: Int) {
        capacity = max(minimumCapacity, 16)
        base = .allocate(capacity: capacity)
    }

    deinit { base.deallocate() }

    /// The timer at a place, or what is left of it there.
    subscript(index: UInt32) -> TimerNode { base[Int(index)] }

    /// Whether a timer is at the place and still the one that a handle with this generation names.
    func isTaken(_ index: UInt32, generation: UInt32) -> Bool {
        index < used && base[Int(index)].generation == generation
    }

    /// Takes a place for a timer, its links being void.
    @inline(__always)
    mutating func take(key: UInt64, payload: Int64) -> UInt32 {
        let index = firstFree
        if index == TimerNode.none { return takeNew(key: key, payload: payload) }
        firstFree = base[Int(index)].next
        base[Int(index)].key = key
        base[Int(index)].payload = payload
        base[Int(index)].generation &+= 1
        return index
    }

    private mutating func takeNew(key: UInt64, payload: Int64) -> UInt32 {
        if used == capacity { grow() }
        (base + used).initialize(to: TimerNode(key: key, payload: payload))
        used += 1
        return UInt32(truncatingIfNeeded: used - 1)
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<TimerNode>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: used)
        base.deallocate()
        base = larger
        capacity *= 2
    }

    /// Frees a place whose timer is in no slot any longer.
    @inline(__always)
    mutating func release(_ index: UInt32) {
        base[Int(index)].generation &+= 1
        base[Int(index)].child = TimerNode.none
        base[Int(index)].next = firstFree
        firstFree = index
    }

    // MARK: Slots

    /// Puts a heap's root, its other links being void, at the front of a slot's list.
    @inline(__always)
    func add(_ index: UInt32, to slot: inout TimerSlot) {
        let first = slot.first
        base[Int(index)].next = first
        base[Int(index)].previous = TimerNode.none
        slot.first = index
        guard first != TimerNode.none else {
            slot.earliest = index
            return
        }
        base[Int(first)].previous = index
        let earliest = slot.earliest
        if earliest != TimerNode.none, precedes(index, earliest) { slot.earliest = index }
    }

    /// Takes one timer out; what the heap had put below it goes back to the list.
    @inline(__always)
    func remove(_ index: UInt32, from slot: inout TimerSlot) {
        let (previous, next, child) = (base[Int(index)].previous, base[Int(index)].next, base[Int(index)].child)
        if previous == TimerNode.none {
            slot.first = next
        } else if base[Int(previous)].child == index {
            base[Int(previous)].child = next
        } else {
            base[Int(previous)].next = next
        }
        if next != TimerNode.none { base[Int(next)].previous = previous }
        if slot.earliest == index { slot.earliest = TimerNode.none }
        if child != TimerNode.none { add(merge(child), to: &slot) }
    }

    /// Makes one heap of a slot's list and gives back its root, the earliest.
    func order(_ slot: inout TimerSlot) -> UInt32 {
        let root = merge(slot.first)
        slot = TimerSlot(first: root, earliest: root)
        return root
    }

    /// Takes the first timer off a list of lists, and makes its children another of them.
    ///
    /// The first of each list names the next list as its previous, so that no storage is needed.
    @inline(__always)
    func popFirst(of lists: inout UInt32) -> UInt32 {
        let index = lists
        let (next, child) = (base[Int(index)].next, base[Int(index)].child)
        lists = base[Int(index)].previous
        if next != TimerNode.none {
            base[Int(next)].previous = lists
            lists = next
        }
        if child != TimerNode.none {
            base[Int(child)].previous = lists
            lists = child
            base[Int(index)].child = TimerNode.none
        }
        return index
    }

    private func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
        let (leftKey, rightKey) = (base[Int(left)].key, base[Int(right)].key)
        return leftKey < rightKey || (leftKey == rightKey && base[Int(left)].payload < base[Int(right)].payload)
    }

    /// Joins two heaps and gives back the root, whose sibling links are left to the caller.
    private func meld(_ left: UInt32, _ right: UInt32) -> UInt32 {
        let (parent, child) = precedes(right, left) ? (right, left) : (left, right)
        let sibling = base[Int(parent)].child
        if sibling != TimerNode.none { base[Int(sibling)].previous = child }
        base[Int(child)].next = sibling
        base[Int(child)].previous = parent
        base[Int(parent)].child = child
        return parent
    }

    /// Makes one heap of a list of heaps that is not empty, and gives back its root.
    ///
    /// First in pairs from the left, then all together from the right: that order is what makes the heap fast.
    private func merge(_ list: UInt32) -> UInt32 {
        var rest = list
        var pairs = TimerNode.none
        while rest != TimerNode.none {
            var pair = rest
            let second = base[Int(rest)].next
            rest = TimerNode.none
            if second != TimerNode.none {
                rest = base[Int(second)].next
                pair = meld(pair, second)
            }
            base[Int(pair)].next = pairs
            pairs = pair
        }
        var root = pairs
        pairs = base[Int(root)].next
        while pairs != TimerNode.none {
            let pair = pairs
            pairs = base[Int(pair)].next
            root = meld(root, pair)
        }
        base[Int(root)].next = TimerNode.none
        base[Int(root)].previous = TimerNode.none
        return root
    }
}
