// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

// Whose turn it is.

extension IndexedQueue {
    mutating func next(_ assessment: Assessment, isGateClosed: Bool) -> (TransferID, TransferEntry)? {
        guard running < globalSlots, availability.classes.intersects(filledClasses),
            let (level, place) = choose(assessment, isGateClosed: isGateClosed)
        else { return nil }
        countPassing(chosen: level)
        let id = TransferID(records[place].pointee.id)
        let entry = entry(at: place)
        let lane = buckets[records[place].pointee.bucket].pointee.lane
        take(place)
        takeSlots(lane: lane)
        turn += 1
        lanes.apps[lanes.lanes[lane].pointee.app].pointee.lastTurn = turn
        return (id, entry)
    }

    // MARK: Ranks

    /// The best rank that can start something, unless another one was passed over too often, and who is first there.
    private mutating func choose(_ assessment: Assessment, isGateClosed: Bool) -> (level: Int32, place: Int32)? {
        startable.removeAll(keepingCapacity: true)
        var starving: Int32?
        var best: Int32?
        for rank in ranking.indices {
            let number = ranking[rank]
            if best == nil {
                best = first(of: Int(number), assessment, isGateClosed: isGateClosed)
                guard best != nil else { continue }
            } else if !canStart(Int(number), assessment, isGateClosed: isGateClosed) {
                continue
            }
            startable.append(number)
            let count = levels[Int(number)].passedOver
            if count >= agingInterval, starving.map({ count > levels[Int($0)].passedOver }) ?? true {
                starving = number
            }
        }
        guard let top = startable.first, let best else { return nil }
        guard let starving, starving != top else { return (top, best) }
        return first(of: Int(starving), assessment, isGateClosed: isGateClosed).map { (starving, $0) }
    }

    private mutating func countPassing(chosen: Int32) {
        levels[Int(chosen)].passedOver = 0
        // In order of rank: those behind the chosen one were passed over.
        var isBehind = false
        for number in startable {
            if isBehind { levels[Int(number)].passedOver += 1 }
            if number == chosen { isBehind = true }
        }
    }

    private mutating func canStart(_ level: Int, _ assessment: Assessment, isGateClosed: Bool) -> Bool {
        let (available, filled) = (availability.classes.words, levels[level].filled.words)
        for word in available.indices {
            var bits = available[word] & filled[word]
            if isGateClosed { bits &= ~gated.words[word] }
            while bits != 0 {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                if canStart(onShelf: levels[level].shelves[number], assessment) { return true }
            }
        }
        return false
    }

    /// Whether anything on a shelf can start: whose turn it would be is another question, which costs more.
    private mutating func canStart(onShelf number: Int32, _ assessment: Assessment) -> Bool {
        let shelf = shelves[number]
        if shelf.pointee.best != Shelf.unknown, !isBudgeted, !shelf.pointee.isBestOfSome {
            let entry = shelf.pointee.appQueues[Int(shelf.pointee.best)]
            if !isFull(app: entry.app), !isFull(lane: entry.lane), misfit(of: entry, on: shelf, assessment) == nil {
                return true
            }
        }
        return findBest(onShelf: number, assessment)
    }

    /// The first of a level: by deadline, then by the apps' turns, then by id.
    private mutating func first(
        of level: Int, _ assessment: Assessment, isGateClosed: Bool
    ) -> Int32? {
        var first: UnsafeMutablePointer<Shelf>?
        let (available, filled) = (availability.classes.words, levels[level].filled.words)
        for word in available.indices {
            var bits = available[word] & filled[word]
            if isGateClosed { bits &= ~gated.words[word] }
            while bits != 0 {
                let number = levels[level].shelves[word << 6 | bits.trailingZeroBitCount]
                bits &= bits - 1
                guard findBest(onShelf: number, assessment) else { continue }
                let shelf = shelves[number]
                if let known = first,
                    !shelf.pointee.bestKey.precedes(
                        known.pointee.bestKey, turn: shelf.pointee.bestTurn, otherTurn: known.pointee.bestTurn)
                {
                    continue
                }
                first = shelf
            }
        }
        return first.map { head(of: $0.pointee.appQueues[Int($0.pointee.best)].bucket) }
    }

    // MARK: Shelves

    /// Finds out whose turn it is on a shelf; false where none can start. What meets a full slot is parked there.
    private mutating func findBest(onShelf number: Int32, _ assessment: Assessment) -> Bool {
        let shelf = shelves[number]
        while true {
            let known = shelf.pointee.best
            let isCurrent =
                known != Shelf.unknown && !isBudgeted && !shelf.pointee.isBestOfSome
                && lanes.apps[shelf.pointee.appQueues[Int(known)].app].pointee.lastTurn == shelf.pointee.bestTurn
            if !isCurrent { compareApps(on: shelf, assessment) }
            guard shelf.pointee.best != Shelf.unknown else { return false }
            let entry = shelf.pointee.appQueues[Int(shelf.pointee.best)]
            if isFull(app: entry.app) {
                park(appQueue: entry.appQueue)
            } else if isFull(lane: entry.lane) {
                park(bucket: entry.bucket)
            } else {
                guard let misfit = misfit(of: entry, on: shelf, assessment) else { return true }
                setAside(head(of: entry.bucket), for: misfit, assessment)
            }
        }
    }

    private mutating func compareApps(on shelf: UnsafeMutablePointer<Shelf>, _ assessment: Assessment) {
        var best = Shelf.unknown
        var (bestKey, bestTurn) = (TurnKey(), Int64(0))
        var isBestOfSome = false
        for index in shelf.pointee.appQueues.indices {
            let (app, key) = (shelf.pointee.appQueues[index].app, shelf.pointee.appQueues[index].top)
            if isBudgeted, isSpent(app, on: shelf, assessment) {
                isHeldByBudget = true
                isBestOfSome = true
                continue
            }
            let turn = lanes.apps[app].pointee.lastTurn
            if best != Shelf.unknown, !key.precedes(bestKey, turn: turn, otherTurn: bestTurn) { continue }
            (best, bestKey, bestTurn) = (Int32(truncatingIfNeeded: index), key, turn)
        }
        shelf.pointee.best = best
        shelf.pointee.bestKey = bestKey
        shelf.pointee.bestTurn = bestTurn
        shelf.pointee.isBestOfSome = isBestOfSome
    }

    /// Whether an app's budget keeps what lies on a shelf from starting.
    private func isSpent(_ app: Int32, on shelf: UnsafeMutablePointer<Shelf>, _ assessment: Assessment) -> Bool {
        let requirement = requirements.family(ofClass: shelf.pointee.number).requirement
        return assessment.isSpent(
            app: lanes.apps[app].pointee.name, for: requirement.kind, isLoopback: requirement.isLoopback)
    }

    /// How long the window is still open that is too short for the first of an app; nil where it fits.
    @inline(__always)
    private func misfit(
        of entry: ShelfEntry, on shelf: UnsafeMutablePointer<Shelf>, _ assessment: Assessment
    ) -> Duration? {
        guard shelf.pointee.hasWindow else { return nil }
        return assessment.misfit(of: self.entry(at: head(of: entry.bucket)))?.left
    }

    // MARK: Parking

    private mutating func park(appQueue: Int32) {
        unlist(appQueue)
        appQueues[appQueue].pointee.isParked = true
        lanes.apps[appQueues[appQueue].pointee.app].pointee.parked.append(appQueue)
    }

    @inline(__always)
    private func isFull(app: Int32) -> Bool { lanes.apps[app].pointee.running >= slotsPerApp }

    @inline(__always)
    private func isFull(lane number: Int32) -> Bool {
        let lane = lanes.lanes[number]
        return lanes.hosts[lane.pointee.host].pointee.running >= lane.pointee.hostLimit || isSessionFull(lane)
    }

    @inline(__always)
    private func isSessionFull(_ lane: UnsafeMutablePointer<Lane>) -> Bool {
        lane.pointee.hasSession && lanes.sessions[lane.pointee.session].pointee.running >= slotsPerSession
    }

    /// Parks a bucket whose host or session has no slot left.
    private mutating func park(bucket: Int32) {
        let lane = lanes.lanes[buckets[bucket].pointee.lane]
        if isSessionFull(lane) {
            lanes.sessions[lane.pointee.session].pointee.parked.append(bucket)
        } else {
            lanes.hosts[lane.pointee.host].pointee.parked.append(bucket)
        }
        removeFromHeap(bucket)
        buckets[bucket].pointee.isParked = true
        topChanged(buckets[bucket].pointee.appQueue)
    }

    /// Lets those go on that waited for a slot which this lane has given back.
    mutating func unpark(_ lane: UnsafeMutablePointer<Lane>) {
        unparkBuckets(lanes.hosts[lane.pointee.host])
        unparkBuckets(lanes.sessions[lane.pointee.session])
        let app = lanes.apps[lane.pointee.app]
        guard !app.pointee.parked.isEmpty else { return }
        swap(&app.pointee.parked, &unparking)
        for index in unparking.indices {
            let appQueue = unparking[index]
            appQueues[appQueue].pointee.isParked = false
            topChanged(appQueue)
        }
        unparking.removeAll(keepingCapacity: true)
    }

    private mutating func unparkBuckets(_ group: UnsafeMutablePointer<SlotGroup>) {
        guard !group.pointee.parked.isEmpty else { return }
        swap(&group.pointee.parked, &unparking)
        for index in unparking.indices {
            let bucket = unparking[index]
            buckets[bucket].pointee.isParked = false
            headChanged(bucket)
        }
        unparking.removeAll(keepingCapacity: true)
    }
}
