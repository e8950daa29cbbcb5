// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// The starts of transfers: from the queue, and by preemption.

extension SchedulerCore where Queue: ~Copyable {
    mutating func startEligible(
        at now: ClockReading, using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        // The next transfer that arrives triggers the evaluation of all changes. Another policy changes the way in which
        // the transfer itself is added.
        transfers.missedChanges.formUnion(transfers.changes)
        if transfers.queue.count == 0, !transfers.changes.policy { return }
        transfers.queue.refresh(evaluator, transfers.missedChanges.removeAll())
        while let id = transfers.queue.next(
            evaluator, delaysStaggered: staggeredStart.delaysStarts(at: now.instant))
        {
            start(id, at: now, using: &generator, into: &effects)
        }
    }

    private mutating func start(
        _ id: TransferID, at now: ClockReading, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        transfers.obstacles.started(id)
        let isNonPreemptible = transfers.queue.isChosenByAging
        let entry = transfers.queue.removeNext()
        // The check comes first, because the call copies the settings.
        if staggeredStart.isActive, entry.isStaggered {
            staggeredStart.started(at: now.instant, configuration, using: &generator)
        }
        transfers.active.append(id, entry, isNonPreemptible: isNonPreemptible, evaluator, at: now)
        transfers.watches.started(id)
        if !evaluator.hasTable { observe(at: now) }
        effects.append(.start(id))
    }

    /// Preempts the lowest-ranking running transfer if a waiting transfer outranks it.
    ///
    /// Only one transfer is preempted at a time. The freed slot decides later which transfer starts.
    ///
    /// - Returns: The next time at which time alone may let a waiting transfer claim a running transfer's slot.
    mutating func preempt(at now: ClockReading, into effects: inout [Effect]) -> Instant? {
        guard transfers.active.count >= max(1, configuration.globalSlots) else { return nil }
        var areRunning = true
        transfers.active.forEach { areRunning = areRunning && $1.pointee.entry.phase.isRunning }
        guard areRunning,
            let contender = transfers.queue.contender(
                evaluator, delaysStaggered: staggeredStart.delaysStarts(at: now.instant))
        else { return nil }
        var lowest: (index: Int32, rank: Rank)?
        var demotion: Instant?
        transfers.active.forEach { index, transfer in
            guard !transfer.pointee.isNonPreemptible else { return }
            let rank = Rank(transfer.pointee.id, transfer.pointee.entry.traits, evaluator)
            if configuration.startsLateTransfersLast {
                demotion = Verdict.earlier(demotion, rank.demotion(inFavorOf: contender.rank).map(now.instant(of:)))
            }
            // Among equal ranks, the transfer that started last has the least to lose.
            if let known = lowest, rank.outranks(known.rank) { return }
            lowest = (index, rank)
        }
        guard let lowest, contender.rank.outranks(lowest.rank) else {
            return Verdict.earlier(contender.until, demotion)
        }
        _ = transfers.stop(at: lowest.index, then: .wait, at: now, into: &effects)
        let id = transfers.active[lowest.index].id
        if transfers.watches.record(id, [WaitReason(.waitingForSlot(.global), since: now)]) {
            effects.append(.explain(id))
        }
        return nil
    }
}
