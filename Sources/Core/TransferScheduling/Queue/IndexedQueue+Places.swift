// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

// Buckets, app queues, shelves and levels: made when first needed.

extension IndexedQueue {
    mutating func levelNumber(of traits: borrowing TransferTraits) -> Int32 {
        let place =
            min(max(traits.priority, 0), 1000) << 2 | (traits.kind == .userInitiated ? 2 : 0)
            | (traits.constraints.deadline != nil ? 1 : 0)
        if levelNumbers[place] != TransferRecord.none { return levelNumbers[place] }
        let number = Int32(levels.count)
        let level = Level(traits, capacity: capacity)
        levels.append(level)
        levelNumbers[place] = number
        let rank = ranking.firstIndex { level.precedes(levels[Int($0)]) } ?? ranking.count
        ranking.insert(number, at: rank)
        return number
    }

    mutating func bucketNumber(classNumber: Int32, _ level: Int32, lane: Int32) -> Int32 {
        let key = PlaceKey(number: classNumber, level: level, part: lane)
        if let known = bucketIndex.find(key.packed, matches: { buckets[$0].pointee.key == key }) { return known }
        let appQueue = appQueueNumber(classNumber, level, app: lanes.lanes[lane].pointee.app)
        appQueues[appQueue].pointee.buckets += 1
        let number = buckets.take(Bucket(key: key, appQueue: appQueue, lane: lane))
        bucketIndex.insert(key.packed, number) { buckets[$0].pointee.key.packed }
        return number
    }

    private mutating func appQueueNumber(_ classNumber: Int32, _ level: Int32, app: Int32) -> Int32 {
        let key = PlaceKey(number: classNumber, level: level, part: app)
        if let known = appQueueNumbers[key] { return known }
        let number = appQueues.take(AppQueue(shelf: shelfNumber(classNumber, level), app: app))
        appQueueNumbers[key] = number
        return number
    }

    private mutating func shelfNumber(_ classNumber: Int32, _ level: Int32) -> Int32 {
        let missing = Int(classNumber) + 1 - levels[Int(level)].shelves.count
        if missing > 0 {
            levels[Int(level)].shelves += Array(repeating: TransferRecord.none, count: missing)
        }
        let known = levels[Int(level)].shelves[Int(classNumber)]
        if known != TransferRecord.none { return known }
        let window = requirements.family(ofClass: classNumber).window
        let isAsked = requirements.classes[Int(classNumber)].stage == RequirementClass.individual
        let number = shelves.take(
            Shelf(number: classNumber, level: level, hasWindow: window != TransferRecord.none && !isAsked))
        levels[Int(level)].shelves[Int(classNumber)] = number
        let traits = requirements.family(ofClass: classNumber).traits
        gated.set(classNumber, Drain.holdsUp(traits.kind, isLoopback: traits.isLoopback))
        dated.set(classNumber, requirements.family(ofClass: classNumber).hasDeadline)
        return number
    }

    /// Makes room for the bits of so many classes.
    mutating func growSets(to count: Int) {
        guard capacity < count else { return }
        while capacity < count { capacity *= 2 }
        filledClasses.grow(to: capacity)
        gated.grow(to: capacity)
        dated.grow(to: capacity)
        for index in levels.indices { levels[index].filled.grow(to: capacity) }
    }

    // MARK: Buckets

    mutating func join(_ place: Int32, _ bucket: Int32) {
        records[place].pointee.bucket = bucket
        buckets[bucket].pointee.members += 1
        if bucket == emptyBucket { emptyBucket = TransferRecord.none }
    }

    /// Takes a transfer out of its bucket and its timer away; the bucket goes once another one has lost its last member
    /// too, since where one waits at a time the next is often of the same kind.
    mutating func leaveBucket(_ place: Int32) {
        unlink(place)
        cancelTimer(place)
        let number = records[place].pointee.bucket
        if records[place].pointee.state.contains(.individual) { individuals -= 1 }
        if records[place].pointee.state.contains(.misfit) {
            misfits.removeAll { $0.rawValue == records[place].pointee.id }
        }
        records[place].pointee.state = []
        buckets[number].pointee.members -= 1
        guard buckets[number].pointee.members == 0 else { return }
        removeEmptyBucket()
        emptyBucket = number
    }

    /// Lets go of a lane's slot or place, and of its bucket with the lane.
    mutating func leave(lane: Int32) {
        if emptyBucket != TransferRecord.none, buckets[emptyBucket].pointee.lane == lane,
            lanes.lanes[lane].pointee.members == 1
        {
            removeEmptyBucket()
        }
        lanes.leave(lane)
    }

    private mutating func removeEmptyBucket() {
        guard emptyBucket != TransferRecord.none else { return }
        removeBucket(emptyBucket)
        emptyBucket = TransferRecord.none
    }

    private mutating func removeBucket(_ number: Int32) {
        let (appQueue, lane) = (buckets[number].pointee.appQueue, buckets[number].pointee.lane)
        if buckets[number].pointee.isParked {
            let lane = lanes.lanes[lane].pointee
            lanes.hosts[lane.host].pointee.parked.removeAll { $0 == number }
            lanes.sessions[lane.session].pointee.parked.removeAll { $0 == number }
        }
        let shelf = shelves[appQueues[appQueue].pointee.shelf].pointee
        bucketIndex.remove(buckets[number].pointee.key.packed, number) { buckets[$0].pointee.key.packed }
        buckets.release(number)
        appQueues[appQueue].pointee.buckets -= 1
        guard appQueues[appQueue].pointee.buckets == 0 else { return }
        let app = appQueues[appQueue].pointee.app
        if appQueues[appQueue].pointee.isParked {
            lanes.apps[app].pointee.parked.removeAll { $0 == appQueue }
        }
        appQueueNumbers[PlaceKey(number: shelf.number, level: shelf.level, part: app)] = nil
        appQueues.release(appQueue)
    }

    /// Gives a transfer its turn in its bucket.
    mutating func link(_ place: Int32) {
        let number = records[place].pointee.bucket
        let bucket = buckets[number]
        let id = records[place].pointee.id
        bucket.pointee.linked += 1
        let last = bucket.pointee.last
        if records[place].pointee.deadline == .max, last == TransferRecord.none || bucket.pointee.lastID < id {
            records[place].pointee.state.insert(.listed)
            records[place].pointee.previous = last
            records[place].pointee.next = TransferRecord.none
            if last == TransferRecord.none { bucket.pointee.first = place } else { records[last].pointee.next = place }
            bucket.pointee.last = place
            bucket.pointee.lastID = id
        } else {
            records[place].pointee.state.insert(.heaped)
            bucket.pointee.heap.insert(place, { precedes($0, $1) }, { records[$0].pointee.previous = $1 })
        }
        if head(of: number) == place { headChanged(number) }
    }

    /// Takes its turn away.
    mutating func unlink(_ place: Int32) {
        let state = records[place].pointee.state
        guard records[place].pointee.isLinked else { return }
        let number = records[place].pointee.bucket
        let bucket = buckets[number]
        let wasHead = head(of: number) == place
        if state.contains(.listed) {
            let (previous, next) = (records[place].pointee.previous, records[place].pointee.next)
            if previous == TransferRecord.none {
                bucket.pointee.first = next
            } else {
                records[previous].pointee.next = next
            }
            if next == TransferRecord.none {
                bucket.pointee.last = previous
                if previous != TransferRecord.none { bucket.pointee.lastID = records[previous].pointee.id }
            } else {
                records[next].pointee.previous = previous
            }
        } else {
            bucket.pointee.heap.remove(
                at: records[place].pointee.previous, { precedes($0, $1) }, { records[$0].pointee.previous = $1 })
        }
        records[place].pointee.state.subtract([.listed, .heaped])
        bucket.pointee.linked -= 1
        if wasHead { headChanged(number) }
    }

    /// By deadline, then by id.
    @inline(__always)
    func precedes(_ left: Int32, _ right: Int32) -> Bool {
        records[left].pointee.turnKey.precedes(records[right].pointee.turnKey)
    }

    /// The first of a bucket; none where it is empty.
    @inline(__always)
    func head(of bucket: Int32) -> Int32 {
        let first = buckets[bucket].pointee.first
        guard let heaped = buckets[bucket].pointee.heap.first else { return first }
        return first == TransferRecord.none || precedes(heaped, first) ? heaped : first
    }

    /// Another one is first in a bucket, or nobody is any more.
    mutating func headChanged(_ number: Int32) {
        let bucket = buckets[number]
        if bucket.pointee.linked > 0 { bucket.pointee.head = records[head(of: number)].pointee.turnKey }
        guard !bucket.pointee.isParked else { return }
        let appQueue = bucket.pointee.appQueue
        let queue = appQueues[appQueue]
        let top = queue.pointee.heap.first
        if bucket.pointee.linked == 0 {
            guard bucket.pointee.position != TransferRecord.none else { return }
            removeFromHeap(number)
        } else if bucket.pointee.position == TransferRecord.none {
            queue.pointee.heap.insert(
                number, { bucketPrecedes($0, $1) }, { buckets[$0].pointee.position = $1 })
        } else {
            queue.pointee.heap.update(
                at: bucket.pointee.position, { bucketPrecedes($0, $1) }, { buckets[$0].pointee.position = $1 })
        }
        if top == number || queue.pointee.heap.first == number { topChanged(appQueue) }
    }

    /// Takes a bucket out of its app queue's heap.
    mutating func removeFromHeap(_ number: Int32) {
        let bucket = buckets[number]
        appQueues[bucket.pointee.appQueue].pointee.heap.remove(
            at: bucket.pointee.position, { bucketPrecedes($0, $1) }, { buckets[$0].pointee.position = $1 })
        bucket.pointee.position = TransferRecord.none
    }

    @inline(__always)
    private func bucketPrecedes(_ left: Int32, _ right: Int32) -> Bool {
        buckets[left].pointee.head.precedes(buckets[right].pointee.head)
    }

    /// Another bucket, or another transfer, is first in an app queue, or none is any more.
    mutating func topChanged(_ appQueue: Int32) {
        let queue = appQueues[appQueue]
        guard !queue.pointee.isParked else { return }
        guard let bucket = queue.pointee.heap.first else { return unlist(appQueue) }
        let shelf = queue.pointee.shelf
        let place = shelves[shelf]
        let entry = ShelfEntry(
            appQueue: appQueue, app: queue.pointee.app, bucket: bucket, lane: buckets[bucket].pointee.lane,
            top: buckets[bucket].pointee.head)
        let turn = lanes.apps[entry.app].pointee.lastTurn
        if queue.pointee.position != TransferRecord.none {
            place.pointee.appQueues[Int(queue.pointee.position)] = entry
            place.pointee.changed(queue.pointee.position, to: entry.top, turn: turn)
            return
        }
        queue.pointee.position = Int32(place.pointee.appQueues.count)
        place.pointee.appQueues.append(entry)
        place.pointee.changed(queue.pointee.position, to: entry.top, turn: turn)
        if place.pointee.appQueues.count == 1 { setFilled(shelf, true) }
    }

    mutating func unlist(_ appQueue: Int32) {
        let position = appQueues[appQueue].pointee.position
        guard position != TransferRecord.none else { return }
        let number = appQueues[appQueue].pointee.shelf
        let shelf = shelves[number]
        shelf.pointee.removed(position)
        let moved = shelf.pointee.appQueues.removeLast()
        if moved.appQueue != appQueue {
            shelf.pointee.appQueues[Int(position)] = moved
            appQueues[moved.appQueue].pointee.position = position
        }
        appQueues[appQueue].pointee.position = TransferRecord.none
        if shelf.pointee.appQueues.isEmpty { setFilled(number, false) }
    }

    private mutating func setFilled(_ shelf: Int32, _ isFilled: Bool) {
        let (number, level) = (shelves[shelf].pointee.number, Int(shelves[shelf].pointee.level))
        levels[level].filled.set(number, isFilled)
        while filledShelves.count <= Int(number) { filledShelves.append(0) }
        filledShelves[Int(number)] += isFilled ? 1 : -1
        filledClasses.set(number, filledShelves[Int(number)] > 0)
    }
}
