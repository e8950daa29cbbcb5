// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// The transfer whose turn it is.

extension IndexedQueue {
    package mutating func next(_ assessment: Assessment, holdsStaggered: Bool) -> TransferID? {
        guard !groups.isFull, eligibility.open.intersects(ready.filled) else { return nil }
        isChosenByAging = false
        let heap =
            ready.ranking.count == 1
            ? first(ofLevel: ready.ranking[0], assessment, holdsStaggered: holdsStaggered, anyWillDo: false)
            : firstByRank(assessment, holdsStaggered: holdsStaggered)
        guard let heap, let place = ready.heaps[heap].pointee.members.first else { return nil }
        chosen = place
        return TransferID(records[place].pointee.id)
    }

    /// The ready heap that goes first: on the level of the best rank, unless another level was passed over too often. Then
    /// that one goes first, of several the one that was so most often.
    private mutating func firstByRank(_ assessment: Assessment, holdsStaggered: Bool) -> Int32? {
        startable.removeAll(keepingCapacity: true)
        var level = Int32.nowhere
        var limit = agingInterval
        for rank in ready.ranking.indices {
            let number = ready.ranking[rank]
            guard first(ofLevel: number, assessment, holdsStaggered: holdsStaggered, anyWillDo: true) != nil else {
                continue
            }
            startable.append(number)
            let count = ready.levels[Int(number)].passedOver
            if count >= limit { limit = count + 1 } else if level != .nowhere { continue }
            level = number
        }
        guard level != .nowhere else { return nil }
        isChosenByAging = startable.first != level
        countPassing(chosen: level)
        return first(ofLevel: level, assessment, holdsStaggered: holdsStaggered, anyWillDo: false)
    }

    /// Levels below the chosen one, which might have started something, were passed over.
    private mutating func countPassing(chosen: Int32) {
        ready.levels[Int(chosen)].passedOver = 0
        for number in startable.reversed() {
            if number == chosen { return }
            ready.levels[Int(number)].passedOver += 1
        }
    }

    package mutating func contender(
        _ assessment: Assessment, holdsStaggered: Bool
    ) -> (rank: Rank, until: Instant?)? {
        for number in ready.ranking {
            guard
                let heap = first(ofLevel: number, assessment, holdsStaggered: holdsStaggered, anyWillDo: false),
                let place = ready.heaps[heap].pointee.members.first
            else { continue }
            let entry = entry(at: place)
            return (Rank(TransferID(records[place].pointee.id), entry.traits), assessment.endOfFit(of: entry))
        }
        return nil
    }

    /// The ready heap whose first member goes first on a level: by deadline, then by the apps' turns, then by id. Nil if
    /// none may start.
    private mutating func first(
        ofLevel level: Int32, _ assessment: Assessment, holdsStaggered: Bool, anyWillDo: Bool
    ) -> Int32? {
        var best: (heap: Int32, key: TurnKey, turn: Int64)?
        for word in ready.levels[Int(level)].filled.words.indices {
            var bits = ready.levels[Int(level)].filled.word(word) & eligibility.open.word(word)
            if holdsStaggered { bits &= ~requirements.staggered.word(word) }
            while bits != 0 {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                // From the last one on: a queue that is emptied here goes, and the last one takes its place.
                for index in ready.levels[Int(level)].queues[number].indices.reversed() {
                    let queue = ready.levels[Int(level)].queues[number][index]
                    guard let heap = first(ofQueue: queue, assessment) else { continue }
                    if anyWillDo { return heap }
                    let key = ready.heaps[heap].pointee.first
                    let turn = groups.counters[ready.queues[queue].pointee.key.app].pointee.lastTurn
                    if let best, !key.precedes(best.key, turn: turn, otherTurn: best.turn) { continue }
                    best = (heap, key, turn)
                }
            }
        }
        return best?.heap
    }

    /// The first ready heap of an app whose concurrency group has free slots, and whose first member fits its window.
    @inline(__always)
    private mutating func first(ofQueue number: Int32, _ assessment: Assessment) -> Int32? {
        let queue = ready.queues[number]
        guard !groups.isFull(app: queue.pointee.key.app) else { return nil }
        if budget.isCounted, isSpent(queue.pointee.key, assessment) {
            budget.isSpent = true
            return nil
        }
        while true {
            let heap = queue.pointee.heaps.first(
                where: { !groups.isFull(group: ready.heaps[$0].pointee.key.group) },
                { ready.precedes(heap: $0, $1) })
            guard let heap, requirements.classes[Int(queue.pointee.key.requirementClass)].hasWindow,
                blockFirst(of: heap, assessment)
            else { return heap }
        }
    }

    private func isSpent(_ key: ReadyQueue.Key, _ assessment: Assessment) -> Bool {
        let set = requirements.set(ofClass: key.requirementClass).pointee.key
        return assessment.isSpent(
            app: groups.counters[key.app].pointee.app, for: set.kind, isLoopback: set.isLoopback)
    }

    /// Blocks the first member of a heap until its window closes, if that is too short for it; returns whether it is.
    @inline(never)
    private mutating func blockFirst(of heap: Int32, _ assessment: Assessment) -> Bool {
        guard let place = ready.heaps[heap].pointee.members.first,
            let misfit = assessment.misfit(of: entry(at: place))
        else { return false }
        withdraw(place)
        records[place].pointee.isBlockedBySize = true
        blocked.append(TransferID(records[place].pointee.id), assessment)
        let end = assessment.now.wall.advanced(by: misfit.left)
        timers.set(place, ofSet: set(of: place), .wall, due: end.nanosecondsSinceEpoch, records)
        return true
    }

    // MARK: Starts

    package mutating func takeNext() -> TransferEntry {
        let entry = entry(at: chosen)
        groups.takeTurn(discard(chosen))
        return entry
    }

    package mutating func takeNextPlain(_ assessment: Assessment) -> PlainRecord? {
        guard handsOutRecords(assessment), records[chosen].pointee.extra == .nowhere else { return nil }
        let plain = plainRecord(at: chosen)
        guard !plain.hasWindow, !assessment.mayEndByTime(plain.kind) else { return nil }
        groups.takeTurn(discard(chosen))
        return plain
    }

    package mutating func takeNew(
        _ traits: borrowing TransferTraits, _ assessment: Assessment, holdsStaggered: Bool
    ) -> PlainRecord? {
        guard !groups.isFull, handsOutRecords(assessment), !budget.isCounted, traits.isPlain,
            traits.constraints.window == nil, !assessment.mayEndByTime(traits.kind),
            !holdsStaggered || !StaggeredStart.applies(to: traits.kind, isLoopback: traits.isLoopback),
            case .none = Obstruction.of(traits, at: assessment.now)
        else { return nil }
        let set = requirements.set(of: traits)
        let number = requirements.classNumber(set, phase: phase(of: traits, set, assessment).number)
        guard eligibility.knows(number), eligibility.open.contains(number) else { return nil }
        let group = groups.join(traits)
        guard !groups.isFull(app: groups.groups[group].pointee.app), !groups.isFull(group: group) else {
            leave(group: group)
            return nil
        }
        let level = ready.levelNumber(of: traits)
        ready.levels[Int(level)].passedOver = 0
        isChosenByAging = false
        groups.takeTurn(group)
        return PlainRecord(
            terms: TransferTerms(traits), group: group, set: set, level: level, requirements.sets)
    }

    /// Whether records say enough of transfers that start: nobody asks about those that run, one by one.
    // In line, here and elsewhere: a method that only reads gets a copy of the whole value else.
    @inline(__always)
    private func handsOutRecords(_ assessment: Assessment) -> Bool {
        assessment.isStaged && !assessment.followsQueue && !isPreemptive
    }
}
