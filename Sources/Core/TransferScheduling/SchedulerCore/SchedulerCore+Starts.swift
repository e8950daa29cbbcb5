// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

// The starts of transfers: from the queue, past the queue, and in another transfer's place.

extension SchedulerCore where Queue: ~Copyable {
    mutating func startWhatMayRun(
        at now: Moment, using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        // Whatever time has changed is seen with the next one that comes.
        if queue.count == 0, changes.isEmpty { return }
        queue.refresh(assessment, changes)
        var wasQuiet = assessment.followsQueue && !usesNetwork
        while true {
            if let id = queue.next(assessment, holdsStaggered: drain.isClosed(at: now.instant)) {
                start(id, at: now, using: &generator, into: &effects)
            } else if wasQuiet, usesNetwork {
                // The first one to run may be what the others waited for.
                wasQuiet = false
                refreshContext(at: now)
                queue.refresh(assessment, changes)
            } else {
                break
            }
        }
    }

    private mutating func start(
        _ id: TransferID, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        if !backingOff.isEmpty { backingOff.remove(id) }
        let isSheltered = queue.isChosenByAging
        if let plain = queue.takeNextPlain(assessment) {
            return begin(id, plain, isSheltered: isSheltered, at: now, using: &generator, into: &effects)
        }
        var transfer = ActiveTransfer(id: id, entry: queue.takeNext())
        transfer.begin(assessment, configuration, at: now)
        let (kind, isLoopback) = (transfer.entry.traits.kind, transfer.entry.traits.isLoopback)
        active.append(transfer, isSheltered: isSheltered, at: now)
        noteStart(id, kind, isLoopback: isLoopback, at: now, using: &generator, into: &effects)
    }

    /// Begins the attempt of a transfer that the queue handed out.
    private mutating func begin(
        _ id: TransferID, _ plain: PlainRecord, isSheltered: Bool, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        active.append(id, plain, isSheltered: isSheltered, at: now)
        noteStart(id, plain.kind, isLoopback: plain.isLoopback, at: now, using: &generator, into: &effects)
    }

    private mutating func noteStart(
        _ id: TransferID, _ kind: WorkKind, isLoopback: Bool, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        // Looked at first, as the settings are copied for it.
        if drain.isUnderWay, StaggeredStart.applies(to: kind, isLoopback: isLoopback) {
            drain.started(at: now.instant, configuration, using: &generator)
        }
        watches.started(id)
        noteRunning(isLoopback: isLoopback, at: now)
        effects.append(.start(id))
    }

    /// Starts a new transfer that nothing waits before and nothing holds; false where it is to go by the queue.
    ///
    /// What it comes to is what the queue would: for one alone, to be put there and taken out costs more than all the rest.
    mutating func startAtOnce(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        // What is due now comes first.
        guard queue.count == 0, changes.isEmpty, activeLook.map({ $0 > now.instant }) ?? true,
            expiries.next.map({ $0 > now.wall }) ?? true
        else { return false }
        queue.refresh(assessment, changes)
        guard let plain = queue.takeNew(traits, assessment, holdsStaggered: drain.isClosed(at: now.instant)) else {
            return false
        }
        begin(id, plain, isSheltered: false, at: now, using: &generator, into: &effects)
        return true
    }

    /// Stops the lowest-ranking transfer that runs where one that waits outranks it. One at a time: what starts in its
    /// place is found out when its slot is free.
    mutating func makeRoom(at now: Moment, into effects: inout [Effect]) {
        roomLook = nil
        guard active.count >= max(1, configuration.globalSlots) else { return }
        var areRunning = true
        active.forEach { areRunning = areRunning && $1.entry.phase.isRunning }
        guard areRunning, let contender = queue.contender(assessment, holdsStaggered: drain.isClosed(at: now.instant))
        else { return }
        var lowest: (index: Int32, rank: Rank)?
        active.forEach { index, transfer in
            guard !active.isSheltered(index) else { return }
            let rank = Rank(transfer.id, transfer.entry.traits)
            // Where none outranks another, the one that started last has the least to lose.
            if let known = lowest, rank.outranks(known.rank) { return }
            lowest = (index, rank)
        }
        guard let lowest, contender.rank.outranks(lowest.rank) else {
            roomLook = contender.until
            return
        }
        if case .running(let attempt) = active[lowest.index].entry.phase {
            active[lowest.index].entry.addRun(from: attempt.since, to: now)
        }
        active[lowest.index].stop(then: .wait)
        let id = active[lowest.index].id
        effects.append(.stop(id))
        if watches.note(id, [Hold(.waitingForSlot(.global), since: now)]) { effects.append(.explain(id)) }
    }
}
