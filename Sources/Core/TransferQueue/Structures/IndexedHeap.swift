// SPDX-License-Identifier: Apache-2.0

/// A heap of numbers whose members know their positions, so that any member can be removed in logarithmic time.
///
/// Each node has four children. The heap is half as deep as a binary heap, and siblings share cache lines (LaMarca
/// and Ladner 1996). Keys are stored in the heap, because each access to the element behind a number would wait for
/// memory. The caller stores the positions that `moved` reports.
struct IndexedHeap<Key: Comparable & Sendable>: Sendable {
    private struct Member: Sendable {
        var key: Key
        let number: Int32
    }

    private var members: [Member] = []

    var isEmpty: Bool { members.isEmpty }
    var first: Int32? { members.first?.number }
    var firstKey: Key? { members.first?.key }

    @inline(__always)
    mutating func insert(_ number: Int32, _ key: Key, _ moved: (Int32, Int32) -> Void) {
        members.append(Member(key: key, number: number))
        move(from: members.count - 1, moved)
    }

    /// Removes the number at a position.
    @inline(__always)
    mutating func remove(at position: Int32, _ moved: (Int32, Int32) -> Void) {
        let last = members.removeLast()
        guard Int(position) < members.count else { return }
        members[Int(position)] = last
        move(from: Int(position), moved)
    }

    /// Moves the number at a position to the position that its changed key requires.
    @inline(__always)
    mutating func update(at position: Int32, to key: Key, _ moved: (Int32, Int32) -> Void) {
        members[Int(position)].key = key
        move(from: Int(position), moved)
    }

    @inline(__always)
    private mutating func move(from position: Int, _ moved: (Int32, Int32) -> Void) {
        // The buffer is accessed once, because each uniqueness check costs as much as a step.
        members.withUnsafeMutableBufferPointer { members in
            var index = position
            let member = members[index]
            func put(_ member: Member) {
                members[index] = member
                moved(member.number, Int32(truncatingIfNeeded: index))
            }
            while 4 * index + 1 < members.count {
                var least = 4 * index + 1
                for child in least..<min(least + 4, members.count)
                where members[child].key < members[least].key {
                    least = child
                }
                guard members[least].key < member.key else { break }
                put(members[least])
                index = least
            }
            // A member that goes after one of its children also goes after its parent.
            if index == position {
                while index > 0, member.key < members[(index - 1) / 4].key {
                    put(members[(index - 1) / 4])
                    index = (index - 1) / 4
                }
            }
            put(member)
        }
    }

    /// Returns the first number that `isAllowed`. Visits only the numbers before it that are not allowed, and their
    /// children.
    @inline(__always)
    func first(where isAllowed: (Int32) -> Bool) -> Int32? {
        guard let first else { return nil }
        if isAllowed(first) { return first }
        var best: Int?
        search(below: 0, &best, isAllowed)
        return best.map { members[$0].number }
    }

    private func search(below parent: Int, _ best: inout Int?, _ isAllowed: (Int32) -> Bool) {
        for child in (4 * parent + 1)..<max(4 * parent + 1, min(4 * parent + 5, members.count)) {
            if let best, members[best].key <= members[child].key { continue }
            if isAllowed(members[child].number) {
                best = child
            } else {
                search(below: child, &best, isAllowed)
            }
        }
    }
}
