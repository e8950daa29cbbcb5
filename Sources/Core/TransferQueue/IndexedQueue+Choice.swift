// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// Chooses the transfer that starts next.

extension IndexedQueue {
    package mutating func next(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> TransferID? {
        guard !waiting.groups.isFull, eligibility.open.intersects(waiting.ready.filled) else {
            return nil
        }
        guard let heap = firstByRank(evaluator, delaysStaggered: delaysStaggered),
            let recordIndex = waiting.ready.heaps[heap].pointee.members.first
        else { return nil }
        chosen = recordIndex
        return TransferID(waiting.records[recordIndex].pointee.id)
    }

    package var isChosenByAging: Bool { aging.isChosenByAging }

    /// Returns the ready heap that goes first. The heap belongs to the highest-ranking level, unless another level was
    /// bypassed too often.
    private mutating func firstByRank(_ evaluator: PolicyEvaluator, delaysStaggered: Bool) -> Int32? {
        aging.begin()
        for rank in waiting.ready.ranking.indices {
            let level = waiting.ready.ranking[rank]
            if first(ofLevel: level, evaluator, delaysStaggered: delaysStaggered, anyWillDo: true) != nil {
                aging.offer(level)
            }
        }
        guard let level = aging.choose() else { return nil }
        return first(ofLevel: level, evaluator, delaysStaggered: delaysStaggered, anyWillDo: false)
    }

    package mutating func contender(
        _ evaluator: PolicyEvaluator, delaysStaggered: Bool
    ) -> (rank: Rank, until: Instant?)? {
        for number in waiting.ready.ranking {
            guard
                let heap = first(
                    ofLevel: number, evaluator, delaysStaggered: delaysStaggered, anyWillDo: false),
                let recordIndex = waiting.ready.heaps[heap].pointee.members.first
            else { continue }
            let terms = waiting.records[recordIndex].pointee.terms
            let deadline = terms.deadline == .max ? nil : WallTime(nanosecondsSinceEpoch: terms.deadline)
            let isTimed = waiting.requirements.sets[waiting.set(of: recordIndex)].pointee.isTimed
            return (
                Rank(recordIndex, of: waiting, isLate: evaluator.isLate(deadline)),
                isTimed ? evaluator.endOfFit(of: waiting.entry(at: recordIndex)) : nil
            )
        }
        return nil
    }

    /// Returns the ready heap whose first member goes first on a level: punctual before late, then by deadline, then by
    /// the apps' turns, then by ID. Returns `nil` if no member may start.
    private mutating func first(
        ofLevel level: Int32, _ evaluator: PolicyEvaluator, delaysStaggered: Bool, anyWillDo: Bool
    ) -> Int32? {
        var best: (heap: Int32, key: TurnKey, turn: Int64)?
        let now = evaluator.now.wall.nanosecondsSinceEpoch
        for word in waiting.ready.levels[Int(level)].filled.words.indices {
            var bits = waiting.ready.levels[Int(level)].filled.word(word) & eligibility.open.word(word)
            if delaysStaggered { bits &= ~waiting.requirements.staggered.word(word) }
            while bits != 0 {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                let isTimed = waiting.requirements.classes[number].isTimed
                // In reverse order: a queue that becomes empty here is removed, and the last queue takes its place.
                for index in waiting.ready.levels[Int(level)].queues[number].indices.reversed() {
                    var listed = waiting.ready.levels[Int(level)].queues[number][index]
                    if waiting.startsLateTransfersLast, listed.first.isOverdue(at: now) {
                        // The queue keeps its place in the list, because none of its members leaves it.
                        waiting.ready.demoteLate(inQueue: listed.queue, at: now, waiting.records)
                        listed = waiting.ready.levels[Int(level)].queues[number][index]
                    }
                    let turn = waiting.groups.counters[listed.app].pointee.lastTurn
                    // Nothing in a queue goes before its first member. With windows and budgets, further checks are
                    // necessary.
                    if let best, !isTimed, !budget.isCounted,
                        !listed.first.precedes(best.key, turn: turn, otherTurn: best.turn)
                    {
                        continue
                    }
                    guard let heap = first(of: listed, isTimed: isTimed, evaluator) else { continue }
                    if anyWillDo { return heap }
                    let key = waiting.ready.heaps[heap].pointee.members.firstKey ?? TurnKey()
                    if let best, !key.precedes(best.key, turn: turn, otherTurn: best.turn) { continue }
                    best = (heap, key, turn)
                }
            }
        }
        return best?.heap
    }

    /// Returns an app's first ready heap whose concurrency group has free slots and whose first member fits its
    /// window.
    @inline(__always)
    private mutating func first(of listed: ListedQueue, isTimed: Bool, _ evaluator: PolicyEvaluator)
        -> Int32?
    {
        guard !waiting.groups.isFull(app: listed.app) else { return nil }
        if budget.isCounted, isSpent(waiting.ready.queues[listed.queue].pointee.key, evaluator) {
            budget.isSpent = true
            return nil
        }
        if !isTimed, waiting.groups.mayStart(listed.group, evaluator) { return listed.heap }
        while true {
            let heap = waiting.ready.queues[listed.queue].pointee.heaps.first(
                where: { waiting.groups.mayStart(waiting.ready.heaps[$0].pointee.key.group, evaluator) })
            guard let heap, isTimed, blockFirst(of: heap, evaluator) else { return heap }
        }
    }

    private func isSpent(_ key: ReadyQueue.Key, _ evaluator: PolicyEvaluator) -> Bool {
        let set = waiting.requirements.set(ofClass: key.requirementClass).pointee.key
        return evaluator.isSpent(
            app: waiting.groups.counters[key.app].pointee.app, for: set.kind, isLoopback: set.isLoopback)
    }

    /// Blocks the first member of a heap until its window closes, if the window is too short for the member. Returns
    /// `true` if the member was blocked.
    @inline(never)
    private mutating func blockFirst(of heap: Int32, _ evaluator: PolicyEvaluator) -> Bool {
        guard let recordIndex = waiting.ready.heaps[heap].pointee.members.first,
            let windowShortfall = evaluator.windowShortfall(of: waiting.entry(at: recordIndex))
        else { return false }
        waiting.block(recordIndex, left: windowShortfall.left, evaluator)
        return true
    }

    // MARK: Starts

    package mutating func removeNext() -> TransferEntry {
        let (entry, group) = waiting.remove(chosen)
        waiting.groups.recordTurn(group)
        return entry
    }
}
