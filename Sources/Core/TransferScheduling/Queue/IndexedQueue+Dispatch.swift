// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy

// Whose turn it is.

extension IndexedQueue {
    mutating func next(_ assessment: Assessment, isGateClosed: Bool) -> TransferID? {
        guard running < globalSlots, availability.classes.intersects(filledClasses) else { return nil }
        return chooseNext(assessment, isGateClosed: isGateClosed)
    }

    mutating func contender(_ assessment: Assessment, isGateClosed: Bool) -> (rank: Rank, until: Instant?)? {
        guard availability.classes.intersects(filledClasses) else { return nil }
        findOpen(isGateClosed: isGateClosed)
        for number in ranking where canStart(Int(number), assessment) {
            guard let place = first(of: Int(number), assessment) else { continue }
            let entry = entry(at: place)
            return (Rank(TransferID(records[place].pointee.id), entry.traits), assessment.endOfFit(of: entry))
        }
        return nil
    }

    /// Finds the classes that might start something.
    private mutating func findOpen(isGateClosed: Bool) {
        let words = (requirements.classes.count + 63) / 64
        while open.count < words { open.append(0) }
        for word in open.indices {
            open[word] = availability.classes.words[word] & filledClasses.words[word]
            if isGateClosed { open[word] &= ~gated.words[word] }
        }
    }

    private mutating func chooseNext(_ assessment: Assessment, isGateClosed: Bool) -> TransferID? {
        findOpen(isGateClosed: isGateClosed)
        if ranking.count == 1 {
            // Nothing is passed over.
            guard let place = first(of: Int(ranking[0]), assessment) else { return nil }
            isChosenByAging = false
            levels[Int(ranking[0])].passedOver = 0
            chosen = place
            return TransferID(records[place].pointee.id)
        }
        guard let (level, place) = choose(assessment) else { return nil }
        isChosenByAging = startable.first != level
        countPassing(chosen: level)
        chosen = place
        return TransferID(records[place].pointee.id)
    }

    mutating func takeNext() -> TransferEntry {
        let entry = entry(at: chosen)
        takeChosen(lane: buckets[records[chosen].pointee.bucket].pointee.lane)
        return entry
    }

    mutating func takeNextPlain(_ assessment: Assessment) -> PlainRecord? {
        guard handsOutRecords(assessment), records[chosen].pointee.extra == TransferRecord.none else { return nil }
        let plain = plainRecord(at: chosen)
        guard !plain.hasWindow, !assessment.mayEndByTime(plain.kind) else { return nil }
        takeChosen(lane: plain.lane)
        return plain
    }

    /// Whether records say enough of those that start: nobody asks about transfers that run, one by one.
    @inline(__always)
    private func handsOutRecords(_ assessment: Assessment) -> Bool {
        assessment.isStaged && !assessment.followsQueue && !isPreemptive
    }

    mutating func takeNew(
        _ traits: borrowing TransferTraits, _ assessment: Assessment, isGateClosed: Bool
    ) -> PlainRecord? {
        guard running < globalSlots, handsOutRecords(assessment), !isBudgeted, traits.isPlain,
            traits.constraints.window == nil, !assessment.mayEndByTime(traits.kind),
            !isGateClosed || !Drain.holdsUp(traits.kind, isLoopback: traits.isLoopback),
            case .none = Obstruction.of(traits, at: assessment.now)
        else { return nil }
        let family = requirements.family(of: traits)
        let number = requirements.classNumber(family, stage: stage(of: traits, family, assessment).number)
        guard availability.knows(number), availability.classes.contains(number) else { return nil }
        let lane = lanes.join(traits)
        guard !isFull(app: lanes.lanes[lane].pointee.app), !isFull(lane: lane) else {
            leave(lane: lane)
            return nil
        }
        let level = levelNumber(of: traits)
        levels[Int(level)].passedOver = 0
        isChosenByAging = false
        takeTurn(lane: lane)
        return PlainRecord(
            wishes: TransferRecord.Wishes(traits), lane: lane, family: family, level: level,
            requirements.key(of: family))
    }

    private mutating func takeChosen(lane: Int32) {
        take(chosen)
        takeTurn(lane: lane)
    }

    /// Gives a start its slots, and its app its turn.
    @inline(__always)
    private mutating func takeTurn(lane: Int32) {
        takeSlots(lane: lane)
        turn += 1
        lanes.apps[lanes.lanes[lane].pointee.app].pointee.lastTurn = turn
    }

    // MARK: Ranks

    /// The best rank that can start something, unless another one was passed over too often, and who is first there.
    private mutating func choose(_ assessment: Assessment) -> (level: Int32, place: Int32)? {
        startable.removeAll(keepingCapacity: true)
        var level: Int32?
        // From here on a rank was passed over too often, and more often than those before it.
        var limit = agingInterval
        for rank in ranking.indices {
            let number = ranking[rank]
            guard canStart(Int(number), assessment) else { continue }
            startable.append(number)
            let count = levels[Int(number)].passedOver
            if count >= limit {
                level = number
                limit = count + 1
            } else if level == nil {
                level = number
            }
        }
        guard let level else { return nil }
        return first(of: Int(level), assessment).map { (level, $0) }
    }

    private mutating func countPassing(chosen: Int32) {
        levels[Int(chosen)].passedOver = 0
        // In order of rank: those behind the chosen one were passed over.
        var isBehind = false
        for index in startable.indices {
            let number = startable[index]
            if isBehind { levels[Int(number)].passedOver += 1 }
            if number == chosen { isBehind = true }
        }
    }

    private mutating func canStart(_ level: Int, _ assessment: Assessment) -> Bool {
        for word in open.indices {
            var bits = open[word] & levels[level].filled.words[word]
            while bits != 0 {
                let number = levels[level].shelves[word << 6 | bits.trailingZeroBitCount]
                bits &= bits - 1
                if canStart(onShelf: number) || findBest(onShelf: number, assessment) { return true }
            }
        }
        return false
    }

    /// Whether it is known that something on a shelf can start: whose turn it would be is another question, which costs
    /// more.
    @inline(__always)
    private func canStart(onShelf number: Int32) -> Bool {
        let shelf = shelves[number]
        guard shelf.pointee.best != Shelf.unknown, !isBudgeted, !shelf.pointee.isBestOfSome, !shelf.pointee.hasWindow
        else { return false }
        let entry = shelf.pointee.appQueues[Int(shelf.pointee.best)]
        return !isFull(app: entry.app) && !isFull(lane: entry.lane)
    }

    /// The first of a level: by deadline, then by the apps' turns, then by id.
    private mutating func first(of level: Int, _ assessment: Assessment) -> Int32? {
        var first: UnsafeMutablePointer<Shelf>?
        for word in open.indices {
            var bits = open[word] & levels[level].filled.words[word]
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
            if !isBestCurrent(on: shelf) {
                if isBudgeted { compareApps(on: shelf, assessment) } else { compareApps(on: shelf) }
            }
            guard shelf.pointee.best != Shelf.unknown else { return false }
            let entry = shelf.pointee.appQueues[Int(shelf.pointee.best)]
            if isFull(app: entry.app) {
                park(appQueue: entry.appQueue)
            } else if isFull(lane: entry.lane) {
                park(bucket: entry.bucket)
            } else if !shelf.pointee.hasWindow || !setAsideMisfit(entry, assessment) {
                return true
            }
        }
    }

    @inline(__always)
    private func isBestCurrent(on shelf: UnsafeMutablePointer<Shelf>) -> Bool {
        let best = shelf.pointee.best
        return best != Shelf.unknown && !isBudgeted && !shelf.pointee.isBestOfSome
            && lanes.apps[shelf.pointee.appQueues[Int(best)].app].pointee.lastTurn == shelf.pointee.bestTurn
    }

    private func compareApps(on shelf: UnsafeMutablePointer<Shelf>) {
        var best = Shelf.unknown
        var (bestKey, bestTurn) = (TurnKey(), Int64(0))
        let entries = shelf.pointee.appQueues
        for index in entries.indices {
            let key = entries[index].top
            let turn = lanes.apps[entries[index].app].pointee.lastTurn
            if best != Shelf.unknown, !key.precedes(bestKey, turn: turn, otherTurn: bestTurn) { continue }
            (best, bestKey, bestTurn) = (Int32(truncatingIfNeeded: index), key, turn)
        }
        shelf.pointee.best = best
        shelf.pointee.bestKey = bestKey
        shelf.pointee.bestTurn = bestTurn
        shelf.pointee.isBestOfSome = false
    }

    /// The same among the apps whose budgets are not spent.
    private mutating func compareApps(on shelf: UnsafeMutablePointer<Shelf>, _ assessment: Assessment) {
        var best = Shelf.unknown
        var (bestKey, bestTurn) = (TurnKey(), Int64(0))
        var isBestOfSome = false
        for index in shelf.pointee.appQueues.indices {
            let (app, key) = (shelf.pointee.appQueues[index].app, shelf.pointee.appQueues[index].top)
            if isSpent(app, on: shelf, assessment) {
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
        let family = requirements.family(ofClass: shelf.pointee.number)
        return assessment.isSpent(
            app: lanes.apps[app].pointee.name, for: family.traits.kind, isLoopback: family.traits.isLoopback)
    }

    /// Sets the first of an app aside where its window is too short for it; says whether it was.
    // Apart, because the question copies what it is asked of, which most shelves never ask.
    @inline(never)
    private mutating func setAsideMisfit(_ entry: ShelfEntry, _ assessment: Assessment) -> Bool {
        let head = head(of: entry.bucket)
        guard let misfit = assessment.misfit(of: self.entry(at: head)) else { return false }
        setAside(head, for: misfit.left, assessment)
        return true
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
