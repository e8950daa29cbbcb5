// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The ready transfers of one equivalence class, priority level and concurrency group, by deadline and id.
struct ReadyHeap: Sendable {
    struct Key: Hashable, Sendable {
        let requirementClass: Int32
        let level: Int32
        let group: Int32
    }

    let key: Key
    let queue: Int32
    var members = IndexedHeap()
    /// The position in its ready queue; `nowhere` while it is empty.
    var position = Int32.nowhere
    /// The first of its members; means something while it has any.
    var first = TurnKey()
}

/// The ready heaps of one equivalence class, priority level and app, by their first members.
struct ReadyQueue: Sendable {
    struct Key: Hashable, Sendable {
        let requirementClass: Int32
        let level: Int32
        let app: Int32
    }

    let key: Key
    var heaps = IndexedHeap()
    /// The position in the list of its level; `nowhere` while it is empty.
    var position = Int32.nowhere
}

/// Transfers with the same kind of urgency: those of a better level go first.
struct PriorityLevel: Sendable {
    let isUserInitiated: Bool
    let priority: Int
    let hasDeadline: Bool
    /// The ready queues that are not empty, by class.
    var queues: [[Int32]] = []
    /// The classes that have such queues.
    var filled = BitSet()
    /// How many starts in a row have passed over something that might have been started here.
    var passedOver = 0

    init(_ traits: borrowing TransferTraits) {
        isUserInitiated = traits.kind == .userInitiated
        priority = traits.priority
        hasDeadline = traits.constraints.deadline != nil
    }

    /// Above 0 if this level goes before the other, 0 if the two are the same.
    @inline(__always)
    func rank(over other: PriorityLevel) -> Int {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated ? 1 : -1 }
        if priority != other.priority { return priority > other.priority ? 1 : -1 }
        return hasDeadline == other.hasDeadline ? 0 : hasDeadline ? 1 : -1
    }
}

/// The transfers that wait for nothing but their turn: priority levels, in these ready queues, in these ready heaps.
struct ReadyTransfers: ~Copyable, Sendable {
    var levels: [PriorityLevel] = []
    /// The numbers of the levels, best rank first.
    private(set) var ranking: [Int32] = []
    private(set) var queues = Slab<ReadyQueue>()
    private(set) var heaps = Slab<ReadyHeap>()
    /// The classes with a ready transfer on any level.
    private(set) var filled = BitSet()
    /// The number of ready queues of each class that are not empty.
    private var filledQueues: [Int32] = []
    /// Queues are never removed: there are as many as apps and different requirements were seen.
    private var queueNumbers: [ReadyQueue.Key: Int32] = [:]
    private var heapNumbers: [ReadyHeap.Key: Int32] = [:]
    /// The heap that was asked for last, since similar transfers often come one after the other.
    private var last = Int32.nowhere

    // MARK: Levels and heaps, made when first needed

    mutating func levelNumber(of traits: borrowing TransferTraits) -> Int32 {
        let level = PriorityLevel(traits)
        var (low, high) = (0, ranking.count)
        while low < high {
            let middle = (low + high) / 2
            let rank = level.rank(over: levels[Int(ranking[middle])])
            if rank == 0 { return ranking[middle] }
            if rank > 0 { high = middle } else { low = middle + 1 }
        }
        ranking.insert(Int32(levels.count), at: low)
        levels.append(level)
        return Int32(levels.count - 1)
    }

    mutating func heapNumber(_ key: ReadyHeap.Key, _ groups: borrowing ConcurrencyGroups) -> Int32 {
        if last != .nowhere, heaps[last].pointee.key == key { return last }
        if let known = heapNumbers[key] {
            last = known
            return known
        }
        let group = groups.groups[key.group]
        let queueKey = ReadyQueue.Key(requirementClass: key.requirementClass, level: key.level, app: group.pointee.app)
        let queue = queueNumbers[queueKey] ?? queues.take(ReadyQueue(key: queueKey))
        queueNumbers[queueKey] = queue
        let number = heaps.take(ReadyHeap(key: key, queue: queue))
        heapNumbers[key] = number
        group.pointee.heaps.append(number)
        return number
    }

    /// Removes heaps that are empty.
    mutating func remove(heaps numbers: [Int32]) {
        for number in numbers {
            if number == last { last = .nowhere }
            heapNumbers[heaps[number].pointee.key] = nil
            heaps.release(number)
        }
    }

    // MARK: Transfers

    mutating func insert(_ place: Int32, _ records: borrowing Slab<TransferRecord>) {
        let number = records[place].pointee.heap
        let heap = heaps[number]
        heap.pointee.members.insert(
            place, { Self.precedes($0, $1, records) }, { records[$0].pointee.position = $1 })
        if heap.pointee.members.first == place { firstChanged(of: number, records) }
    }

    mutating func remove(_ place: Int32, _ records: borrowing Slab<TransferRecord>) {
        let position = records[place].pointee.position
        guard position != .nowhere else { return }
        let number = records[place].pointee.heap
        let heap = heaps[number]
        heap.pointee.members.remove(
            at: position, { Self.precedes($0, $1, records) }, { records[$0].pointee.position = $1 })
        records[place].pointee.position = .nowhere
        if position == 0 { firstChanged(of: number, records) }
    }

    @inline(__always)
    private static func precedes(_ left: Int32, _ right: Int32, _ records: borrowing Slab<TransferRecord>) -> Bool {
        records[left].pointee.turnKey.precedes(records[right].pointee.turnKey)
    }

    @inline(__always)
    func precedes(heap left: Int32, _ right: Int32) -> Bool {
        heaps[left].pointee.first.precedes(heaps[right].pointee.first)
    }

    /// Another transfer is first in a heap, or none is any longer.
    private mutating func firstChanged(of number: Int32, _ records: borrowing Slab<TransferRecord>) {
        let heap = heaps[number]
        let queue = queues[heap.pointee.queue]
        let position = heap.pointee.position
        if let first = heap.pointee.members.first {
            heap.pointee.first = records[first].pointee.turnKey
            if position == .nowhere {
                queue.pointee.heaps.insert(
                    number, { precedes(heap: $0, $1) }, { heaps[$0].pointee.position = $1 })
            } else {
                queue.pointee.heaps.update(
                    at: position, { precedes(heap: $0, $1) }, { heaps[$0].pointee.position = $1 })
            }
        } else if position != .nowhere {
            queue.pointee.heaps.remove(
                at: position, { precedes(heap: $0, $1) }, { heaps[$0].pointee.position = $1 })
            heap.pointee.position = .nowhere
        }
        if queue.pointee.heaps.isEmpty != (queue.pointee.position == .nowhere) {
            changeList(of: heap.pointee.queue)
        }
    }

    /// Puts a queue that is no longer empty into the list of its level, or takes one out that is.
    private mutating func changeList(of number: Int32) {
        let queue = queues[number]
        let (level, requirementClass) = (Int(queue.pointee.key.level), Int(queue.pointee.key.requirementClass))
        while levels[level].queues.count <= requirementClass { levels[level].queues.append([]) }
        let position = Int(queue.pointee.position)
        if position < 0 {
            queue.pointee.position = Int32(levels[level].queues[requirementClass].count)
            levels[level].queues[requirementClass].append(number)
        } else {
            let last = levels[level].queues[requirementClass].removeLast()
            if last != number {
                levels[level].queues[requirementClass][position] = last
                queues[last].pointee.position = Int32(position)
            }
            queue.pointee.position = .nowhere
        }
        while filledQueues.count <= requirementClass { filledQueues.append(0) }
        filledQueues[requirementClass] += position < 0 ? 1 : -1
        levels[level].filled.set(Int32(requirementClass), !levels[level].queues[requirementClass].isEmpty)
        filled.set(Int32(requirementClass), filledQueues[requirementClass] > 0)
    }
}
