// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

// Whose turn it is.

extension IndexedQueue {
    mutating func next(_ assessment: Assessment, isGateClosed: Bool) -> (TransferID, TransferEntry)? {
        guard running < globalSlots, let level = chooseLevel(assessment, isGateClosed: isGateClosed),
            let place = first(of: Int(level), assessment, isGateClosed: isGateClosed)
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

    /// The best rank that can start something, unless another one was passed over too often.
    private mutating func chooseLevel(_ assessment: Assessment, isGateClosed: Bool) -> Int32? {
        startable.removeAll(keepingCapacity: true)
        var starving: Int32?
        for rank in ranking.indices {
            let number = ranking[rank]
            guard canStart(Int(number), assessment, isGateClosed: isGateClosed) else { continue }
            startable.append(number)
            let count = levels[Int(number)].passedOver
            if count >= agingInterval, starving.map({ count > levels[Int($0)].passedOver }) ?? true {
                starving = number
            }
        }
        return starving ?? startable.first
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
        var isFound = false
        for word in availability.classes.words.indices where !isFound {
            var bits = availability.classes.words[word] & levels[level].filled.words[word]
            if isGateClosed { bits &= ~gated.words[word] }
            while bits != 0, !isFound {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                isFound = best(ofShelf: Int(levels[level].shelves[number]), assessment) != nil
            }
        }
        return isFound
    }

    /// The first of a level: by deadline, then by the apps' turns, then by id.
    private mutating func first(
        of level: Int, _ assessment: Assessment, isGateClosed: Bool
    ) -> Int32? {
        var first: Int32?
        var firstTurn: Int64 = 0
        for word in availability.classes.words.indices {
            var bits = availability.classes.words[word] & levels[level].filled.words[word]
            if isGateClosed { bits &= ~gated.words[word] }
            while bits != 0 {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                let shelf = Int(levels[level].shelves[number])
                guard let place = best(ofShelf: shelf, assessment) else { continue }
                let turn = shelves[shelf].bestTurn
                if let known = first, !precedes(place, turn, known, firstTurn) { continue }
                (first, firstTurn) = (place, turn)
            }
        }
        return first
    }

    @inline(__always)
    private func precedes(_ left: Int32, _ leftTurn: Int64, _ right: Int32, _ rightTurn: Int64) -> Bool {
        let (leftDeadline, rightDeadline) = (records[left].pointee.deadline, records[right].pointee.deadline)
        if leftDeadline != rightDeadline { return leftDeadline < rightDeadline }
        if leftTurn != rightTurn { return leftTurn < rightTurn }
        return records[left].pointee.id < records[right].pointee.id
    }

    // MARK: Shelves

    /// The transfer whose turn it is on a shelf; nil where none can start. What meets a full slot is parked there.
    private mutating func best(ofShelf shelf: Int, _ assessment: Assessment) -> Int32? {
        while true {
            let known = shelves[shelf].best
            let isCurrent =
                known != Shelf.unknown && !assessment.isBudgeted
                && lanes.apps[appQueues[known].pointee.app].pointee.lastTurn == shelves[shelf].bestTurn
            if !isCurrent { findBest(shelf, assessment) }
            let appQueue = shelves[shelf].best
            guard appQueue != Shelf.unknown, let bucket = appQueues[appQueue].pointee.heap.first else { return nil }
            if lanes.apps[appQueues[appQueue].pointee.app].pointee.running >= slotsPerApp {
                park(appQueue: appQueue)
            } else if !parkIfFull(bucket) {
                let place = head(of: bucket)
                guard let misfit = misfit(of: place, onShelf: shelf, assessment) else { return place }
                setAside(place, for: misfit, assessment)
            }
        }
    }

    private mutating func findBest(_ shelf: Int, _ assessment: Assessment) {
        var best = Shelf.unknown
        var (bestPlace, bestTurn) = (TransferRecord.none, Int64(0))
        for appQueue in shelves[shelf].appQueues {
            guard let bucket = appQueues[appQueue].pointee.heap.first else { continue }
            let app = appQueues[appQueue].pointee.app
            if assessment.isBudgeted, isSpent(app, onShelf: shelf, assessment) { continue }
            let (place, turn) = (head(of: bucket), lanes.apps[app].pointee.lastTurn)
            if best != Shelf.unknown, !precedes(place, turn, bestPlace, bestTurn) { continue }
            (best, bestPlace, bestTurn) = (appQueue, place, turn)
        }
        shelves[shelf].best = best
        shelves[shelf].bestTurn = bestTurn
    }

    /// Whether an app's budget keeps what lies on a shelf from starting.
    private func isSpent(_ app: Int32, onShelf shelf: Int, _ assessment: Assessment) -> Bool {
        let requirement = requirements.family(ofClass: shelves[shelf].number).requirement
        guard !requirement.isLoopback, let limit = Assessment.budgetLimit(of: requirement.kind) else { return false }
        let state = assessment.context.budgets.state(
            connection: assessment.conditions.connection.value, app: lanes.apps[app].pointee.name,
            at: assessment.now.wall, localTime: assessment.conditions.localTime)
        return state.map { $0 >= limit } ?? false
    }

    /// How long the window is still open that is too short for a transfer; nil where it fits.
    private func misfit(of place: Int32, onShelf shelf: Int, _ assessment: Assessment) -> Duration? {
        let number = shelves[shelf].number
        guard requirements.classes[Int(number)].stage != RequirementClass.individual,
            requirements.family(ofClass: number).window != TransferRecord.none
        else { return nil }
        return assessment.misfit(of: entry(at: place))?.left
    }

    // MARK: Parking

    private mutating func park(appQueue: Int32) {
        unlist(appQueue)
        appQueues[appQueue].pointee.isParked = true
        lanes.apps[appQueues[appQueue].pointee.app].pointee.parked.append(appQueue)
    }

    /// Parks a bucket whose host or session has no slot left; false where both have.
    private mutating func parkIfFull(_ bucket: Int32) -> Bool {
        let lane = lanes.lanes[buckets[bucket].pointee.lane].pointee
        if lanes.hosts[lane.host].pointee.running >= lane.hostLimit {
            lanes.hosts[lane.host].pointee.parked.append(bucket)
        } else if lane.key.session != nil, lanes.sessions[lane.session].pointee.running >= slotsPerSession {
            lanes.sessions[lane.session].pointee.parked.append(bucket)
        } else {
            return false
        }
        let appQueue = buckets[bucket].pointee.appQueue
        appQueues[appQueue].pointee.heap.remove(
            at: buckets[bucket].pointee.position, { bucketPrecedes($0, $1) }, { buckets[$0].pointee.position = $1 })
        buckets[bucket].pointee.position = TransferRecord.none
        buckets[bucket].pointee.isParked = true
        topChanged(appQueue)
        return true
    }

    /// Lets those go on that waited for a slot which this lane has given back.
    mutating func unpark(_ lane: Lane) {
        unparkBuckets(lanes.hosts[lane.host])
        unparkBuckets(lanes.sessions[lane.session])
        let app = lanes.apps[lane.app]
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
