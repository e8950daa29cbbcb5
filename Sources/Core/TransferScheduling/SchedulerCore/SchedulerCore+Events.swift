// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// Takes an event into the state; says whether what may run has to be looked at anew.
    mutating func take(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) -> Bool {
        switch event {
        case .submitted(let id, let traits):
            return add(id, traits, at: now, using: &generator, into: &effects)
        case .recovered(let id, let traits, let state):
            return addAgain(id, traits, state, at: now)
        case .changed(let id, let traits):
            return change(id, to: traits, at: now, into: &effects)
        case .cancelled(let id):
            return cancel(id, at: now, into: &effects)
        case .paused(let id):
            return pause(id, at: now, into: &effects)
        case .resumed(let id):
            return resume(id, at: now, into: &effects)
        case .conditionsChanged(let new):
            changeConditions(to: new, at: now, using: &generator, into: &effects)
            return true
        case .appUsed(let app):
            assessment.context.history.apps.used(app, at: now.wall)
            return true
        case .appRelaunched(let app):
            relaunchDelays.relaunched(app, at: now)
            effects.append(.saveLearned)
            return false
        case .appCameToFront(let app):
            cameToFront(app, at: now, into: &effects)
            return true
        case .relaunchAbandoned(let app):
            if relaunchDelays.abandonRelaunch(of: app, at: now) { effects.append(.saveLearned) }
            return false
        case .held(let id, let holder, let why):
            return obstruct(id, at: now) { $0.held = TransferEntry.Held(by: holder, why: why, since: now) }
        case .released(let id):
            return obstruct(id, at: now) { $0.endHeld(at: now) }
        case .appNeeded(let id, let need):
            return obstruct(id, at: now) { $0.need = TransferEntry.Need(need: need, since: now) }
        case .appAnswered(let id):
            return obstruct(id, at: now) { $0.endNeed(at: now) }
        case .budgetsChanged(let budgets):
            assessment.context.budgets = budgets
            changes.budgets = true
            return true
        case .watched(let id):
            guard holdsSlot(id) || queue.contains(id) else { return false }
            watches.add(id)
            return true
        case .unwatched(let id):
            watches.remove(id)
            return true
        case .progressed(let id, let bytes, let total):
            return progress(id, bytes: max(0, bytes), total: total, at: now, into: &effects)
        case .restarted(let id):
            return restart(id)
        case .stopped(let id, let bytes):
            return stopped(id, bytes: max(0, bytes), at: now, into: &effects)
        case .finished(let id):
            guard let index = active.number(of: id) else { return false }
            if let plain = active.plain(index)?.transfer {
                // Of what is over nobody asks how long it ran.
                active.remove(index)
                queue.freeSlots(of: plain)
                noteRunning(isLoopback: plain.isLoopback, at: now)
                end(id, plain, .finished, into: &effects)
            } else {
                end(id, endAttempt(at: index, now: now, isOver: true), .finished, at: now, into: &effects)
            }
            return true
        case .failed(let id, let cause, let retryAfter, let bytes):
            return failed(
                id, cause, retryAfter: retryAfter, bytes: max(0, bytes), at: now, using: &generator, into: &effects)
        case .ranOutOfSpace(let id, let needed, let available, let bytes):
            return ranOutOfSpace(
                id, needed: needed, available: available, bytes: max(0, bytes), at: now, into: &effects)
        case .spaceMeasured(let id, let available):
            return measured(id, available: available, at: now)
        case .woken:
            // The wall clock may have been set.
            changes.running = true
            requestDueMeasurements(at: now, into: &effects)
            return true
        }
    }

    /// Takes a new transfer in; says whether what may run has to be looked at anew.
    mutating func add(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard !holdsSlot(id), !queue.contains(id) else { return false }
        guard traits.isFromBackground != true else {
            var entry = TransferEntry(traits: copy traits, phase: .waiting(nil))
            if let hold = relaunchDelays.delayNew(&entry, id, at: now) {
                effects += [.saveRelaunchHold(id, hold), .saveLearned]
            }
            takeIn(id, entry)
            return true
        }
        note(id, traits)
        totals.add(
            traits.kind, bytes: traits.expectedBytesToReceive.map { max(0, $0) },
            deadline: traits.constraints.deadline?.date)
        if !startAtOnce(id, traits, at: now, using: &generator, into: &effects) {
            queue.insert(id, traits, assessment)
        }
        return true
    }

    mutating func takeIn(_ id: TransferID, _ entry: TransferEntry) {
        note(id, entry.traits)
        totals.add(entry)
        enqueue(id, entry)
    }

    private mutating func note(_ id: TransferID, _ traits: borrowing TransferTraits) {
        // Who hands over work that a person waits for is being used.
        if traits.kind == .userInitiated {
            assessment.context.history.apps.used(traits.app, at: traits.submitted)
        }
        if let expires = traits.expires { expiries.add(id, at: expires) }
    }

    private mutating func change(
        _ id: TransferID, to traits: TransferTraits, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        if let index = activeIndex(of: id) {
            guard active[index].entry.traits != traits else { return false }
            totals.remove(active[index].entry)
            queue.freeSlots(of: active[index].entry.traits)
            queue.takeSlots(of: traits)
            var entry = leaveLimiter(id, of: active[index].entry, for: traits.app, at: now, into: &effects)
            entry.traits = traits
            active[index].replace(by: entry)
            totals.add(active[index].entry)
            changes.running = true
        } else {
            guard var entry = queue.entry(of: id), entry.traits != traits else { return false }
            _ = dequeue(id)
            totals.remove(entry)
            entry = leaveLimiter(id, of: entry, for: traits.app, at: now, into: &effects)
            entry.traits = traits
            // Somebody wants it now: it waits no longer, but its app's limiter still counts its end (R4).
            if traits.isFromBackground != true, let release = entry.relaunchDelay?.release {
                entry.relaunchDelay?.release = min(release, now.instant)
            }
            totals.add(entry)
            enqueue(id, entry)
        }
        expiries.remove(id)
        if let expires = traits.expires { expiries.add(id, at: expires) }
        return true
    }

    private mutating func cancel(_ id: TransferID, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let index = activeIndex(of: id) else {
            if let plain = queue.removePlain(id) {
                effects.append(.discard(id))
                end(id, plain, .cancelled, into: &effects)
                return true
            }
            guard let entry = dequeue(id) else { return false }
            effects.append(.discard(id))
            end(id, entry, .cancelled, at: now, into: &effects)
            return true
        }
        let wasRunning = stop(at: index, then: .cancel, at: now)
        if wasRunning { effects.append(.stop(id)) }
        return wasRunning
    }

    /// Ends a transfer whose time is up.
    mutating func expire(_ id: TransferID, at now: Moment, into effects: inout [Effect]) {
        guard let index = activeIndex(of: id) else {
            guard let entry = dequeue(id) else { return }
            effects.append(.discard(id))
            return end(id, entry, .failed(.expired), at: now, into: &effects)
        }
        if case .stopping(.cancel) = active[index].entry.phase { return }
        if stop(at: index, then: .expire, at: now) { effects.append(.stop(id)) }
    }

    /// Lets an attempt end for another reason than conditions; says whether it has yet to be told.
    private mutating func stop(at index: Int32, then after: TransferPhase.AfterStop, at now: Moment) -> Bool {
        var wasRunning = false
        if case .running(let attempt) = active[index].entry.phase {
            active[index].entry.addRun(from: attempt.since, to: now)
            wasRunning = true
        }
        active[index].stop(then: after)
        return wasRunning
    }

    private mutating func pause(_ id: TransferID, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let index = activeIndex(of: id) else {
            guard let entry = queue.entry(of: id), case .waiting = entry.phase, var paused = dequeue(id) else {
                return false
            }
            paused.endObstacle(at: now)
            paused.phase = .paused(since: now)
            enqueue(id, paused)
            effects.append(.savePaused(id, true))
            return true
        }
        switch active[index].entry.phase {
        case .running, .stopping(.wait):
            effects.append(.savePaused(id, true))
            let wasRunning = stop(at: index, then: .pause, at: now)
            if wasRunning { effects.append(.stop(id)) }
            return wasRunning
        case .stopping(.pause), .stopping(.cancel), .stopping(.expire), .waiting, .paused:
            // Already on its way there, or to its end; and what waits has no attempt.
            return false
        }
    }

    private mutating func resume(_ id: TransferID, at now: Moment, into effects: inout [Effect]) -> Bool {
        if let index = activeIndex(of: id) {
            guard case .stopping(.pause) = active[index].entry.phase else { return false }
            active[index].entry.phase = .stopping(.wait)
            effects.append(.savePaused(id, false))
            return false
        }
        guard let entry = queue.entry(of: id) else { return false }
        switch entry.phase {
        case .paused:
            guard var resumed = dequeue(id) else { return false }
            resumed.endPause(at: now)
            enqueue(id, resumed)
            effects.append(.savePaused(id, false))
            return true
        case .waiting(.backoff(let attempt, let cause, _, _)):
            // Somebody asks for it now: the wait is over, what failed so far is remembered.
            endBackoff(of: id, leaving: attempt, cause, at: now, into: &effects)
            return true
        case .waiting, .running, .stopping:
            return false  // Nothing is paused.
        }
    }

    /// Sets or lifts what keeps a transfer back beside conditions.
    private mutating func obstruct(
        _ id: TransferID, at now: Moment, _ change: (inout TransferEntry) -> Void
    ) -> Bool {
        if let index = activeIndex(of: id) {
            change(&active[index].entry)
            changes.running = true
            return true
        }
        guard var entry = dequeue(id) else { return false }
        change(&entry)
        enqueue(id, entry)
        return true
    }
}
