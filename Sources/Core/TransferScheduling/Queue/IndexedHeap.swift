// SPDX-License-Identifier: Apache-2.0

/// A heap of numbers with four children to a node, whose members know where they lie, so that any can be taken out.
///
/// Half as deep as a binary heap, and the children of a node share a cache line (LaMarca and Ladner 1996). What the
/// numbers stand for is ordered by the caller, who also keeps their positions.
struct IndexedHeap: Sendable {
    private var members: [Int32] = []

    var isEmpty: Bool { members.isEmpty }
    var first: Int32? { members.first }

    /// Adds a number.
    @inline(__always)
    mutating func insert(
        _ number: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void
    ) {
        members.append(number)
        // Here and below the memory is asked for once, since each look whether it is shared costs as much as a step.
        members.withUnsafeMutableBufferPointer { Self.rise(from: $0.count - 1, $0, precedes, moved) }
    }

    /// Takes out the number at a position.
    @inline(__always)
    mutating func remove(
        at position: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void
    ) {
        let last = members.removeLast()
        guard position < members.count else { return }
        members.withUnsafeMutableBufferPointer {
            $0[Int(position)] = last
            Self.update(at: Int(position), $0, precedes, moved)
        }
    }

    /// Puts the number at a position to where it belongs, its order having changed.
    @inline(__always)
    mutating func update(
        at position: Int32, _ precedes: (Int32, Int32) -> Bool, _ moved: (Int32, Int32) -> Void
    ) {
        members.withUnsafeMutableBufferPointer { Self.update(at: Int(position), $0, precedes, moved) }
    }

    @inline(__always)
    private static func update(
        at index: Int, _ members: UnsafeMutableBufferPointer<Int32>, _ precedes: (Int32, Int32) -> Bool,
        _ moved: (Int32, Int32) -> Void
    ) {
        // Where it sinks, what comes up in its place belongs there.
        guard sink(from: index, members, precedes, moved) == index else { return }
        rise(from: index, members, precedes, moved)
    }

    @inline(__always)
    private static func rise(
        from start: Int, _ members: UnsafeMutableBufferPointer<Int32>, _ precedes: (Int32, Int32) -> Bool,
        _ moved: (Int32, Int32) -> Void
    ) {
        var index = start
        let number = members[index]
        while index > 0 {
            let parent = (index - 1) / 4
            guard precedes(number, members[parent]) else { break }
            members[index] = members[parent]
            moved(members[index], Int32(truncatingIfNeeded: index))
            index = parent
        }
        members[index] = number
        moved(number, Int32(truncatingIfNeeded: index))
    }

    /// Gives back where the number has come to.
    @inline(__always)
    private static func sink(
        from start: Int, _ members: UnsafeMutableBufferPointer<Int32>, _ precedes: (Int32, Int32) -> Bool,
        _ moved: (Int32, Int32) -> Void
    ) -> Int {
        var index = start
        let number = members[index]
        while true {
            let firstChild = 4 * index + 1
            guard firstChild < members.count else { break }
            var least = firstChild
            for child in (firstChild + 1)..<max(firstChild + 1, min(firstChild + 4, members.count))
            where precedes(members[child], members[least]) {
                least = child
            }
            guard precedes(members[least], number) else { break }
            members[index] = members[least]
            moved(members[index], Int32(truncatingIfNeeded: index))
            index = least
        }
        members[index] = number
        moved(number, Int32(truncatingIfNeeded: index))
        return index
    }
}
