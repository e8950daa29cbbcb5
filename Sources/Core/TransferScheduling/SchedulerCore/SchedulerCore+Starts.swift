// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// The starts of transfers: from the queue, bypassing the queue, and by preemption.

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
        if let plain = transfers.queue.removeNextPlain(evaluator) {
            return begin(id, plain, isNonPreemptible: isNonPreemptible, at: now, using: &generator, into: &effects)
        }
        let entry = transfers.queue.removeNext()
        let (kind, isLoopback) = (entry.traits.kind, entry.traits.isLoopback)
        transfers.active.append(id, entry, isNonPreemptible: isNonPreemptible, evaluator, at: now)
        recordStart(id, kind, isLoopback: isLoopback, at: now, using: &generator, into: &effects)
    }

    /// Begins the attempt of a transfer that the queue returned.
    private mutating func begin(
        _ id: TransferID, _ plain: PlainRecord, isNonPreemptible: Bool, at now: ClockReading,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        let need = evaluator.plan.reservation(for: plain)?.need
        transfers.active.append(id, plain, need: need, isNonPreemptible: isNonPreemptible, at: now)
        recordStart(id, plain.kind, isLoopback: plain.isLoopback, at: now, using: &generator, into: &effects)
    }

    private mutating func recordStart(
        _ id: TransferID, _ kind: WorkKind, isLoopback: Bool, at now: ClockReading,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        // The check comes first, because the call copies the settings.
        if staggeredStart.isActive, StaggeringRule.applies(to: kind, isLoopback: isLoopback) {
            staggeredStart.started(at: now.instant, configuration, using: &generator)
        }
        transfers.watches.started(id)
        if !evaluator.isPhased { observe(at: now) }
        effects.append(.start(id))
    }

    /// Starts a new transfer directly if nothing is queued and nothing blocks it; returns `false` if the transfer
    /// must be queued.
    ///
    /// The result equals the result of the queue. For a single transfer, insertion and removal would cost more than all
    /// other work.
    mutating func startImmediately(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: ClockReading,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        // Work that is due now comes first.
        guard transfers.queue.count == 0, transfers.changes.isEmpty,
            transfers.active.reevaluation.map({ $0 > now.instant }) ?? true,
            transfers.expiries.next.map({ $0 > now.wall }) ?? true
        else { return false }
        transfers.queue.refresh(evaluator, transfers.missedChanges.removeAll())
        guard
            let plain = transfers.queue.admitNew(
                traits, evaluator, delaysStaggered: staggeredStart.delaysStarts(at: now.instant))
        else {
            return false
        }
        begin(id, plain, isNonPreemptible: false, at: now, using: &generator, into: &effects)
        return true
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
            guard !transfers.active.isNonPreemptible(index) else { return }
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
        let id = transfers.active.id(lowest.index)
        if transfers.watches.record(id, [WaitReason(.waitingForSlot(.global), since: now)]) {
            effects.append(.explain(id))
        }
        return nil
    }
}
