// SPDX-License-Identifier: Apache-2.0

/// A heap of numbers whose members know their positions, so that any of them can be removed in logarithmic time.
///
/// Four children to a node: half as deep as a binary heap, and the children share a cache line (LaMarca and Ladner 1996).
/// The caller says what the numbers are ordered by (`precedes`) and keeps their positions (`moved`).
struct IndexedHeap: Sendable {
    private var members: [Int32] = []

    var isEmpty: Bool { members.isEmpty }
    var first: Int32? { members.first }

    @inline(__always)
    mutating func insert(_ number: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void) {
        members.append(number)
        update(at: Int32(truncatingIfNeeded: members.count - 1), precedes, moved)
    }

    /// Removes the number at a position.
    @inline(__always)
    mutating func remove(at position: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void) {
        let last = members.removeLast()
        guard Int(position) < members.count else { return }
        members[Int(position)] = last
        update(at: position, precedes, moved)
    }

    /// Moves the number at a position to where its order, which has changed, puts it.
    @inline(__always)
    mutating func update(at position: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void) {
        // The memory is asked for once, since each check for a second owner costs as much as a step.
        members.withUnsafeMutableBufferPointer { members in
            var index = Int(position)
            let number = members[index]
            func put(_ number: Int32) {
                members[index] = number
                moved(number, Int32(truncatingIfNeeded: index))
            }
            while index > 0, precedes(number, members[(index - 1) / 4]) {
                put(members[(index - 1) / 4])
                index = (index - 1) / 4
            }
            while 4 * index + 1 < members.count {
                var least = 4 * index + 1
                for child in least..<min(least + 4, members.count) where precedes(members[child], members[least]) {
                    least = child
                }
                guard precedes(members[least], number) else { break }
                put(members[least])
                index = least
            }
            put(number)
        }
    }

    /// The first number that `isAllowed`. Looks only at numbers that are not and come before it, and at their children.
    @inline(__always)
    func first(where isAllowed: (Int32) -> Bool, _ precedes: (Int32, Int32) -> Bool) -> Int32? {
        guard let first = members.first else { return nil }
        if isAllowed(first) { return first }
        var best: Int32?
        search(below: 0, &best, isAllowed, precedes)
        return best
    }

    private func search(
        below parent: Int, _ best: inout Int32?, _ isAllowed: (Int32) -> Bool, _ precedes: (Int32, Int32) -> Bool
    ) {
        for child in (4 * parent + 1)..<max(4 * parent + 1, min(4 * parent + 5, members.count)) {
            if let best, !precedes(members[child], best) { continue }
            if isAllowed(members[child]) {
                best = members[child]
            } else {
                search(below: child, &best, isAllowed, precedes)
            }
        }
    }
}
