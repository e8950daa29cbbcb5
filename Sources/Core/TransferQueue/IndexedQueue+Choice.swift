// SPDX-License-Identifier: Apache-2.0
package import TransferModel
import TransferPolicy

// Chooses the transfer whose turn it is.

extension IndexedQueue {
    package mutating func next(_ assessment: Assessment, holdsStaggered: Bool) -> TransferID? {
        guard !waiting.groups.isFull, eligibility.open.intersects(waiting.ready.filled) else {
            return nil
        }
        guard let heap = firstByRank(assessment, holdsStaggered: holdsStaggered),
            let place = waiting.ready.heaps[heap].pointee.members.first
        else { return nil }
        chosen = place
        return TransferID(waiting.records[place].pointee.id)
    }

    package var isChosenByAging: Bool { aging.isChosenByAging }

    /// Returns the ready heap that goes first. The heap belongs to the highest-ranking level, unless another level
    /// was passed over too often.
    private mutating func firstByRank(_ assessment: Assessment, holdsStaggered: Bool) -> Int32? {
        aging.begin()
        for rank in waiting.ready.ranking.indices {
            let level = waiting.ready.ranking[rank]
            if first(ofLevel: level, assessment, holdsStaggered: holdsStaggered, anyWillDo: true) != nil {
                aging.offer(level)
            }
        }
        guard let level = aging.choose() else { return nil }
        return first(ofLevel: level, assessment, holdsStaggered: holdsStaggered, anyWillDo: false)
    }

    package mutating func contender(
        _ assessment: Assessment, holdsStaggered: Bool
    ) -> (rank: Rank, until: Instant?)? {
        for number in waiting.ready.ranking {
            guard
                let heap = first(
                    ofLevel: number, assessment, holdsStaggered: holdsStaggered, anyWillDo: false),
                let place = waiting.ready.heaps[heap].pointee.members.first
            else { continue }
            let entry = waiting.entry(at: place)
            return (
                Rank(TransferID(waiting.records[place].pointee.id), entry.traits),
                assessment.endOfFit(of: entry)
            )
        }
        return nil
    }

    /// Returns the ready heap whose first member goes first on a level: by deadline, then by the apps' turns, then by
    /// ID. Returns `nil` if no member may start.
    private mutating func first(
        ofLevel level: Int32, _ assessment: Assessment, holdsStaggered: Bool, anyWillDo: Bool
    ) -> Int32? {
        var best: (heap: Int32, key: TurnKey, turn: Int64)?
        for word in waiting.ready.levels[Int(level)].filled.words.indices {
            var bits = waiting.ready.levels[Int(level)].filled.word(word) & eligibility.open.word(word)
            if holdsStaggered { bits &= ~waiting.requirements.staggered.word(word) }
            while bits != 0 {
                let number = word << 6 | bits.trailingZeroBitCount
                bits &= bits - 1
                let hasWindow = waiting.requirements.classes[number].hasWindow
                // In reverse order: a queue that becomes empty here is removed, and the last queue takes its place.
                for index in waiting.ready.levels[Int(level)].queues[number].indices.reversed() {
                    let listed = waiting.ready.levels[Int(level)].queues[number][index]
                    let turn = waiting.groups.counters[listed.app].pointee.lastTurn
                    // Nothing in a queue goes before its first member. With windows and budgets, further checks are
                    // necessary.
                    if let best, !hasWindow, !budget.isCounted,
                        !listed.first.precedes(best.key, turn: turn, otherTurn: best.turn)
                    {
                        continue
                    }
                    guard let heap = first(of: listed, hasWindow: hasWindow, assessment) else { continue }
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
    private mutating func first(of listed: ListedQueue, hasWindow: Bool, _ assessment: Assessment)
        -> Int32?
    {
        guard !waiting.groups.isFull(app: listed.app) else { return nil }
        if budget.isCounted, isSpent(waiting.ready.queues[listed.queue].pointee.key, assessment) {
            budget.isSpent = true
            return nil
        }
        if !hasWindow, !waiting.groups.isFull(group: listed.group) { return listed.heap }
        while true {
            let heap = waiting.ready.queues[listed.queue].pointee.heaps.first(
                where: { !waiting.groups.isFull(group: waiting.ready.heaps[$0].pointee.key.group) })
            guard let heap, hasWindow, blockFirst(of: heap, assessment) else { return heap }
        }
    }

    private func isSpent(_ key: ReadyQueue.Key, _ assessment: Assessment) -> Bool {
        let set = waiting.requirements.set(ofClass: key.requirementClass).pointee.key
        return assessment.isSpent(
            app: waiting.groups.counters[key.app].pointee.app, for: set.kind, isLoopback: set.isLoopback)
    }

    /// Blocks the first member of a heap until its window closes, if the window is too short for the member. Returns
    /// `true` if the member was blocked.
    @inline(never)
    private mutating func blockFirst(of heap: Int32, _ assessment: Assessment) -> Bool {
        guard let place = waiting.ready.heaps[heap].pointee.members.first,
            let misfit = assessment.misfit(of: waiting.entry(at: place))
        else { return false }
        waiting.block(place, left: misfit.left, assessment)
        return true
    }

    // MARK: Starts

    package mutating func takeNext() -> TransferEntry {
        let entry = waiting.entry(at: chosen)
        waiting.groups.takeTurn(waiting.discard(chosen))
        return entry
    }

    package mutating func takeNextPlain(_ assessment: Assessment) -> PlainRecord? {
        guard handsOutRecords(assessment), waiting.records[chosen].pointee.extra == .nowhere else {
            return nil
        }
        let plain = waiting.plainRecord(at: chosen)
        guard !plain.hasWindow, !assessment.mayEndByTime(plain.kind) else { return nil }
        waiting.groups.takeTurn(waiting.discard(chosen))
        return plain
    }

    package mutating func takeNew(
        _ traits: borrowing TransferTraits, _ assessment: Assessment, holdsStaggered: Bool
    ) -> PlainRecord? {
        guard !waiting.groups.isFull, handsOutRecords(assessment), !budget.isCounted, traits.isPlain,
            traits.constraints.window == nil, !assessment.mayEndByTime(traits.kind),
            !holdsStaggered || !StaggeredStart.applies(to: traits.kind, isLoopback: traits.isLoopback),
            case .none = Obstruction.of(traits, at: assessment.now)
        else { return nil }
        let set = waiting.requirements.set(of: traits)
        let number = waiting.requirements.classNumber(
            set, phase: waiting.phase(of: traits, set, assessment).number)
        guard eligibility.knows(number), eligibility.open.contains(number) else { return nil }
        let group = waiting.groups.join(traits)
        guard !waiting.groups.isFull(app: waiting.groups.groups[group].pointee.app),
            !waiting.groups.isFull(group: group)
        else {
            waiting.leave(group: group)
            return nil
        }
        let level = waiting.ready.levelNumber(of: traits)
        aging.start(level)
        waiting.groups.takeTurn(group)
        return PlainRecord(
            terms: TransferTerms(traits), group: group, set: set, level: level, waiting.requirements.sets)
    }

    /// Returns whether records suffice for transfers that start, because nobody asks about running transfers
    /// individually.
    // Inlined here and elsewhere: otherwise a method that only reads receives a copy of the whole value.
    @inline(__always)
    private func handsOutRecords(_ assessment: Assessment) -> Bool {
        assessment.isStaged && !assessment.followsQueue && !isPreemptive
    }
}
