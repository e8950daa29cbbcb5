// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The ready transfers of one equivalence class, priority level and concurrency group, ordered by ``TurnKey``.
struct ReadyHeap: Sendable {
    struct Key: Hashable, Sendable {
        let requirementClass: Int32
        let level: Int32
        let group: Int32
    }

    let key: Key
    let queue: Int32
    var members = IndexedHeap<TurnKey>()
    /// The position in the ready queue; `noIndex` while the heap is empty.
    var position = Int32.noIndex
}

/// The ready heaps of one equivalence class, priority level and app, ordered by their first members.
struct ReadyQueue: Sendable {
    struct Key: Hashable, Sendable {
        let requirementClass: Int32
        let level: Int32
        let app: Int32
    }

    let key: Key
    var heaps = IndexedHeap<TurnKey>()
    /// The position in the list of the level; `noIndex` while the queue is empty.
    var position = Int32.noIndex
}

/// A ready queue in the list of its level, with a copy of its first member.
///
/// A search for the next transfer visits many queues. Each step outside of the list would wait for memory.
struct ListedQueue: Sendable {
    let queue: Int32
    let app: Int32
    /// The first ready heap, its concurrency group, and the heap's first member.
    let heap: Int32
    let group: Int32
    let first: TurnKey
}

/// A level of urgency. Transfers of a higher-ranking level go first.
struct PriorityLevel: Sendable {
    let isUserInitiated: Bool
    let priority: Int
    let hasDeadline: Bool
    /// The nonempty ready queues by class.
    var queues: [[ListedQueue]] = []
    /// The classes with a nonempty ready queue.
    var filled = BitSet()

    init(_ traits: borrowing TransferTraits) {
        isUserInitiated = traits.kind == .userInitiated
        priority = traits.priority
        hasDeadline = traits.constraints.deadline != nil
    }

    /// Returns a positive number if this level goes before the other, and 0 if the two levels are the same.
    @inline(__always)
    func rank(over other: PriorityLevel) -> Int {
        if isUserInitiated != other.isUserInitiated { return isUserInitiated ? 1 : -1 }
        if priority != other.priority { return priority > other.priority ? 1 : -1 }
        return hasDeadline == other.hasDeadline ? 0 : hasDeadline ? 1 : -1
    }
}

/// The transfers that wait only for their turn. Priority levels contain ready queues, and ready queues contain ready
/// heaps.
struct ReadyTransfers: ~Copyable, Sendable {
    private(set) var levels: [PriorityLevel] = []
    /// The numbers of the levels, best rank first.
    private(set) var ranking: [Int32] = []
    private(set) var queues = Slab<ReadyQueue>()
    private(set) var heaps = Slab<ReadyHeap>()
    /// The classes with a ready transfer on any level.
    private(set) var filled = BitSet()
    /// The number of nonempty ready queues of each class.
    private var filledQueues: [Int32] = []
    /// The numbers of the queues. Queues are never removed: their number is limited by the apps and the different
    /// requirements seen.
    private var queueNumbers: [ReadyQueue.Key: Int32] = [:]
    private var heapNumbers: [ReadyHeap.Key: Int32] = [:]
    /// The heap that was requested last, because similar transfers often arrive in succession.
    private var last = Int32.noIndex

    // MARK: Levels and heaps, created on first use

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
        if last != .noIndex, heaps[last].pointee.key == key { return last }
        if let known = heapNumbers[key] {
            last = known
            return known
        }
        let group = groups.groups[key.group]
        let queueKey = ReadyQueue.Key(requirementClass: key.requirementClass, level: key.level, app: group.pointee.app)
        let queue = queueNumbers[queueKey] ?? queues.insert(ReadyQueue(key: queueKey))
        queueNumbers[queueKey] = queue
        let number = heaps.insert(ReadyHeap(key: key, queue: queue))
        heapNumbers[key] = number
        group.pointee.heaps.append(number)
        return number
    }

    /// Removes empty heaps.
    mutating func remove(heaps numbers: [Int32]) {
        for number in numbers {
            if number == last { last = .noIndex }
            heapNumbers[heaps[number].pointee.key] = nil
            heaps.release(number)
        }
    }

    // MARK: Transfers

    mutating func insert(_ recordIndex: Int32, _ records: borrowing Slab<TransferRecord>) {
        let number = records[recordIndex].pointee.heap
        let heap = heaps[number]
        heap.pointee.members.insert(recordIndex, records[recordIndex].pointee.turnKey) {
            records[$0].pointee.position = $1
        }
        if heap.pointee.members.first == recordIndex { firstChanged(of: number) }
    }

    mutating func remove(_ recordIndex: Int32, _ records: borrowing Slab<TransferRecord>) {
        let position = records[recordIndex].pointee.position
        guard position != .noIndex else { return }
        let number = records[recordIndex].pointee.heap
        heaps[number].pointee.members.remove(at: position) { records[$0].pointee.position = $1 }
        records[recordIndex].pointee.position = .noIndex
        if position == 0 { firstChanged(of: number) }
    }

    /// Moves the transfers of a queue whose deadlines have passed behind the others, as far as they are in front.
    ///
    /// Afterward, the first member of each heap of the queue is in its proper order, because late keys go last. Each
    /// transfer moves at most once, so that no timer is necessary.
    mutating func demoteLate(inQueue number: Int32, at date: Int64, _ records: borrowing Slab<TransferRecord>) {
        while let heap = queues[number].pointee.heaps.first, let key = queues[number].pointee.heaps.firstKey,
            key.isOverdue(at: date), let recordIndex = heaps[heap].pointee.members.first
        {
            records[recordIndex].pointee.isLate = true
            heaps[heap].pointee.members.update(at: 0, to: records[recordIndex].pointee.turnKey) {
                records[$0].pointee.position = $1
            }
            firstChanged(of: heap)
        }
    }

    /// Updates the queue of a heap after its first member has changed or the heap has become empty.
    private mutating func firstChanged(of number: Int32) {
        let heap = heaps[number]
        let queue = queues[heap.pointee.queue]
        let position = heap.pointee.position
        if let key = heap.pointee.members.firstKey {
            if position == .noIndex {
                queue.pointee.heaps.insert(number, key) { heaps[$0].pointee.position = $1 }
            } else {
                queue.pointee.heaps.update(at: position, to: key) { heaps[$0].pointee.position = $1 }
            }
        } else if position != .noIndex {
            queue.pointee.heaps.remove(at: position) { heaps[$0].pointee.position = $1 }
            heap.pointee.position = .noIndex
        }
        if let first = queue.pointee.heaps.first, let key = queue.pointee.heaps.firstKey {
            if position == 0 || first == number { list(heap.pointee.queue, heap: first, key) }
        } else if queue.pointee.position != .noIndex {
            unlist(heap.pointee.queue)
        }
    }

    /// Adds a queue to the list of its level, or updates its copy there.
    private mutating func list(_ number: Int32, heap: Int32, _ first: TurnKey) {
        let queue = queues[number]
        let listed = ListedQueue(
            queue: number, app: queue.pointee.key.app, heap: heap, group: heaps[heap].pointee.key.group,
            first: first)
        let (level, requirementClass) = (
            Int(queue.pointee.key.level), Int(queue.pointee.key.requirementClass)
        )
        guard queue.pointee.position == .noIndex else {
            levels[level].queues[requirementClass][Int(queue.pointee.position)] = listed
            return
        }
        while levels[level].queues.count <= requirementClass { levels[level].queues.append([]) }
        while filledQueues.count <= requirementClass { filledQueues.append(0) }
        queue.pointee.position = Int32(levels[level].queues[requirementClass].count)
        levels[level].queues[requirementClass].append(listed)
        filledQueues[requirementClass] += 1
        levels[level].filled.set(Int32(requirementClass))
        filled.set(Int32(requirementClass))
    }

    /// Removes an empty queue from the list of its level.
    private mutating func unlist(_ number: Int32) {
        let queue = queues[number]
        let (level, requirementClass) = (
            Int(queue.pointee.key.level), Int(queue.pointee.key.requirementClass)
        )
        let last = levels[level].queues[requirementClass].removeLast()
        if last.queue != number {
            levels[level].queues[requirementClass][Int(queue.pointee.position)] = last
            queues[last.queue].pointee.position = queue.pointee.position
        }
        queue.pointee.position = .noIndex
        filledQueues[requirementClass] -= 1
        levels[level].filled.set(
            Int32(requirementClass), !levels[level].queues[requirementClass].isEmpty)
        filled.set(Int32(requirementClass), filledQueues[requirementClass] > 0)
    }
}
