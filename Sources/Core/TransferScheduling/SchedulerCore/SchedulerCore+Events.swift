// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Applies an event to the state; returns whether the scheduler must re-evaluate which transfers may run.
    mutating func handle(
        _ event: Event, at now: ClockReading, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) -> Bool {
        switch event {
        case .submitted(let id, let traits):
            return add(id, traits, at: now, into: &effects)
        case .recovered(let id, let traits, let state):
            return addRecovered(id, traits, state, at: now)
        case .changed(let id, let traits):
            return transfers.change(id, to: traits, at: now, evaluator, into: &effects)
        case .cancelled(let id):
            return transfers.giveUp(id, as: .cancel, at: now, into: &effects)
        case .paused(let id):
            return transfers.pause(id, at: now, evaluator, into: &effects)
        case .resumed(let id):
            // The user wants the transfer now, so the wait that its server requested ends.
            var endsWait = false
            if let entry = transfers.queue.entry(of: id), case .waiting = entry.phase {
                endsWait = evaluator.serverWaits.end(entry.traits.host, at: now.instant)
            }
            if endsWait { effects.append(.saveStatistics) }
            return transfers.resume(id, at: now, evaluator, into: &effects) || endsWait
        case .conditionsChanged(let new):
            changeConditions(to: new, at: now, using: &generator, into: &effects)
            return true
        case .appRelaunched(let app):
            transfers.relaunchDelays.relaunched(app, at: now)
            effects.append(.saveStatistics)
            return false
        case .appCameToFront(let app):
            transfers.cameToFront(app, at: now, evaluator, into: &effects)
            return true
        case .relaunchAbandoned(let app):
            if transfers.relaunchDelays.abandonRelaunch(of: app, at: now) { effects.append(.saveStatistics) }
            return false
        case .held(let id, let holder, let why):
            return transfers.obstruct(id, evaluator) {
                $0.held = TransferEntry.Block(by: holder, why: why, since: now)
            }
        case .released(let id):
            return transfers.obstruct(id, evaluator) { $0.endBlock(at: now) }
        case .appNeeded(let id, let need):
            return transfers.obstruct(id, evaluator) { $0.need = TransferEntry.Need(need: need, since: now) }
        case .appResponded(let id):
            return transfers.obstruct(id, evaluator) { $0.endNeed(at: now) }
        case .budgetsChanged(let budgets):
            evaluator.context.budgets = budgets
            transfers.changes.budgets = true
            return true
        case .watched(let id):
            guard transfers.contains(id) else { return false }
            let isFirst = transfers.watches.isEmpty
            let index = transfers.watches.add(id)
            if !isFirst {
                // Many watches are added at once. Explaining all of them each time would take quadratic time.
                explainToWatcher(index, at: now, into: &effects)
                wakeUp(at: Verdict.earlier(plannedWake, transfers.watches.reevaluation), now, into: &effects)
            }
            return isFirst
        case .unwatched(let id):
            transfers.watches.remove(id)
            return true
        case .progressed(let id, let bytes, let total):
            return progress(id, bytes: max(0, bytes), total: total, at: now, into: &effects)
        case .restarted(let id):
            return transfers.restart(id)
        case .stopped(let id, let bytes):
            return transfers.stopped(id, bytes: max(0, bytes), at: now, evaluator, into: &effects)
        case .finished(let id):
            return transfers.finished(id, at: now, into: &effects)
        case .failed(let id, let cause, let retryAfter, let bytes):
            return failed(
                id, cause, retryAfter: retryAfter, bytes: max(0, bytes), at: now, using: &generator, into: &effects)
        case .serverRequestedWait(let server, let wait):
            let until = now.instant.advanced(by: min(wait, configuration.backgroundBackoff.longestRetryAfter))
            if evaluator.serverWaits.add(server, until: until, at: now) { effects.append(.saveStatistics) }
            return true
        case .ranOutOfSpace(let id, let needed, let available, let bytes):
            return transfers.ranOutOfSpace(
                id, needed: needed, available: available, bytes: max(0, bytes), at: now, evaluator, into: &effects)
        case .spaceMeasured(let id, let available):
            return transfers.measured(id, available: available, at: now, evaluator)
        case .woken:
            // The wall clock may have been set.
            transfers.changes.running = true
            transfers.requestDueMeasurements(at: now, evaluator, into: &effects)
            return true
        }
    }

    /// Adds a new transfer; returns whether the scheduler must re-evaluate which transfers may run.
    mutating func add(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: ClockReading, into effects: inout [Effect]
    ) -> Bool {
        guard !transfers.contains(id) else { return false }
        let bytes = traits.expectedBytesToReceive ?? traits.expectedBytesToSend
        transfers.register(id, traits, missing: bytes.map { max(0, $0) })
        refreshPlan()
        if traits.isFromBackground == true {
            var entry = TransferEntry(traits: copy traits, phase: .waiting(nil))
            if let relaunchDelay = transfers.relaunchDelays.delayNew(&entry, id, at: now) {
                effects += [.saveRelaunchDelay(id, relaunchDelay), .saveStatistics]
            }
            transfers.enqueue(id, entry, evaluator)
        } else {
            transfers.queue.insert(id, traits, evaluator)
        }
        return true
    }
}
