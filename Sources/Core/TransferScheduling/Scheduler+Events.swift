// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension Scheduler {
    /// Takes an event into the state; says whether what may run has to be looked at anew.
    mutating func take(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) -> Bool {
        switch event {
        case .submitted(let id, let traits):
            return add(id, traits, RecoveredState(), at: now)
        case .recovered(let id, let traits, let state):
            return add(id, traits, state, at: now)
        case .changed(let id, let traits):
            return change(id, to: traits)
        case .cancelled(let id):
            return cancel(id, into: &effects)
        case .paused(let id):
            return pause(id, into: &effects)
        case .resumed(let id):
            return resume(id, at: now, into: &effects)
        case .conditionsChanged(let new):
            chargeBattery(from: conditions, to: new, at: now)
            return changeConditions(to: new, at: now, into: &effects)
        case .appUsed(let app):
            history.apps.used(app, at: now.wall)
            return true
        case .progressed(let id, let bytes, let total):
            return progress(id, bytes: bytes, total: total, at: now, into: &effects)
        case .restarted(let id):
            return restart(id)
        case .stopped(let id, let bytes):
            return stopped(id, bytes: bytes, into: &effects)
        case .finished(let id):
            guard entries[id]?.phase.holdsSlot == true else { return false }
            remove(id)
            effects.append(.end(id, .finished))
            return true
        case .failed(let id, let cause, let retryAfter, let bytes):
            return failed(id, cause, retryAfter: retryAfter, bytes: bytes, at: now, using: &generator, into: &effects)
        case .ranOutOfSpace(let id, let needed, let available, let bytes):
            return ranOutOfSpace(id, needed: needed, available: available, bytes: bytes, at: now, into: &effects)
        case .spaceMeasured(let id, let available):
            return measured(id, available: available, at: now)
        case .appRelaunched, .appCameToFront, .relaunchAbandoned, .held, .released, .appNeeded, .appAnswered,
            .budgetsChanged, .watched, .unwatched:
            return false
        case .woken:
            requestDueMeasurements(at: now, into: &effects)
            return true
        }
    }

    private mutating func add(
        _ id: TransferID, _ traits: TransferTraits, _ state: RecoveredState, at now: Moment
    ) -> Bool {
        guard entries[id] == nil else { return false }
        // Who hands over work that a person waits for is being used.
        if traits.kind == .userInitiated { history.apps.used(traits.app, at: traits.submitted) }
        var entry = TransferEntry(traits: traits, phase: state.isPaused ? .paused : .waiting(nil))
        entry.bytes = max(0, state.bytes)
        entry.total = state.total
        entry.mostBytes = max(entry.bytes, state.retry?.mostBytes ?? 0)
        if let retry = state.retry {
            // What a store hands back is no reason to trap when one more is added.
            entry.failures = min(max(0, retry.attempts), Int(Int32.max))
            if !state.isPaused {
                // Kept as a date because no boot-time clock survives a reboot; a date that a set clock has moved far
                // away holds no longer than the longest wait there is.
                let longest = now.instant.advanced(by: backoff(for: traits).longestDelay)
                let until = min(now.instant(of: retry.until), longest)
                entry.phase = .waiting(
                    .backoff(attempt: entry.failures, cause: retry.cause, failed: now, until: until))
            }
        }
        insert(id, entry)
        return true
    }

    private mutating func change(_ id: TransferID, to traits: TransferTraits) -> Bool {
        guard var entry = entries[id], entry.traits != traits else { return false }
        entry.traits = traits
        remove(id)
        insert(id, entry)
        return true
    }

    private mutating func cancel(_ id: TransferID, into effects: inout [Effect]) -> Bool {
        guard let entry = entries[id] else { return false }
        switch entry.phase {
        case .waiting, .paused:
            remove(id)
            effects.append(.discard(id))
            effects.append(.end(id, .cancelled))
            return true
        case .running:
            entries[id]?.phase = .stopping(.cancel)
            effects.append(.stop(id))
            return true
        case .stopping:
            entries[id]?.phase = .stopping(.cancel)
            return false
        }
    }

    private mutating func pause(_ id: TransferID, into effects: inout [Effect]) -> Bool {
        guard let entry = entries[id] else { return false }
        switch entry.phase {
        case .waiting:
            entries[id]?.phase = .paused
            effects.append(.savePaused(id, true))
            return true
        case .running:
            entries[id]?.phase = .stopping(.pause)
            effects.append(.savePaused(id, true))
            effects.append(.stop(id))
            return true
        case .stopping(.wait):
            entries[id]?.phase = .stopping(.pause)
            effects.append(.savePaused(id, true))
            return false
        case .paused, .stopping(.pause), .stopping(.cancel):
            // Already on its way there, or to its end.
            return false
        }
    }

    private mutating func resume(_ id: TransferID, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let entry = entries[id] else { return false }
        switch entry.phase {
        case .paused:
            entries[id]?.phase = .waiting(nil)
            effects.append(.savePaused(id, false))
            return true
        case .waiting(.backoff(let attempt, let cause, _, _)):
            // Somebody asks for it now: the wait is over, what failed so far is remembered.
            endBackoff(of: id, leaving: attempt, cause, at: now, into: &effects)
            return true
        case .stopping(.pause):
            entries[id]?.phase = .stopping(.wait)
            effects.append(.savePaused(id, false))
            return false
        case .waiting, .running, .stopping(.wait), .stopping(.cancel):
            // Nothing is paused, or it is too late.
            return false
        }
    }

    private mutating func changeConditions(
        to new: Conditions, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        let old = conditions
        conditions = new
        guard new.network.value.isUsable != old.network.value.isUsable else { return true }
        // A failure just before the network was seen to go is the network's, not the server's: it costs no attempt.
        // And once there is a network again, waiting for the end of a backoff that its absence caused helps nobody.
        let isLost = !new.network.value.isUsable
        for id in order {
            guard let entry = entries[id], !entry.traits.isLoopback,
                case .waiting(.backoff(let attempt, let cause, let failed, _)) = entry.phase, cause.isOfTheConnection
            else { continue }
            if isLost, failed.instant.advanced(by: configuration.networkDwell) < now.instant { continue }
            endBackoff(of: id, leaving: isLost ? attempt - 1 : attempt, cause, at: now, into: &effects)
        }
        return true
    }

    /// Ends the wait after a failure now. Saved as well, so that a start after a crash does not wait again.
    private mutating func endBackoff(
        of id: TransferID, leaving attempts: Int, _ cause: FailureCause, at now: Moment, into effects: inout [Effect]
    ) {
        entries[id]?.phase = .waiting(nil)
        entries[id]?.failures = max(0, attempts)
        let rest =
            attempts > 0
            ? RetryState(
                attempts: attempts, cause: cause, until: now.wall, mostBytes: entries[id]?.mostBytes) : nil
        effects.append(.saveRetry(id, rest))
    }

    /// What the battery lost while something ran counts as spent.
    private mutating func chargeBattery(from old: Conditions, to new: Conditions, at now: Moment) {
        guard old.power.value == .battery, new.power.value == .battery,
            let before = old.battery.value.level, let after = new.battery.value.level, after < before,
            order.contains(where: { entries[$0]?.phase.holdsSlot == true })
        else { return }
        history.spending.charge(batteryPercent: before - after, at: now.wall, localTime: new.localTime)
    }

    private mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard var entry = entries[id], case .running(var attempt) = entry.phase else { return false }
        let elapsed = attempt.lastReport.duration(to: now.instant).wholeNanoseconds
        if elapsed > 0, bytes > entry.bytes {
            let sample = Double(bytes - entry.bytes) / (Double(elapsed) / 1e9)
            // A quarter of each sample: steady enough to read, quick enough to follow a link that changes.
            let smoothed = entry.rate.map { Double($0) * 0.75 + sample * 0.25 } ?? sample
            entry.rate = Int64(min(smoothed, 1e15))
        }
        if bytes > entry.bytes, !entry.traits.isLoopback, configuration.unknownMetered.isMetered(conditions) != nil {
            let new = max(0, bytes).addingSaturating(max(0, entry.bytes).negatedSaturating)
            history.spending.charge(meteredBytes: new, at: now.wall, localTime: conditions.localTime)
        }
        attempt.lastReport = now.instant
        entry.phase = .running(attempt)
        entry.bytes = bytes
        let learnedTotal = entry.total == nil && total != nil
        entry.total = total ?? entry.total
        entry.mostBytes = max(entry.mostBytes, bytes)
        if bytes >= attempt.progressMark, entry.failures > 0 {
            entry.failures = 0
            effects.append(.saveRetry(id, nil))
        }
        entries[id] = entry
        // Only the size moves what a policy may say before its next look.
        return learnedTotal && entry.traits.kind == .discretionary
    }

    private mutating func restart(_ id: TransferID) -> Bool {
        guard var entry = entries[id], case .running(var attempt) = entry.phase else { return false }
        attempt.bytesAtStart = 0
        entry.phase = .running(attempt)
        entry.bytes = 0
        entry.total = nil
        entries[id] = entry
        // Without a size there is no last chance, should that be what it runs on.
        return entry.traits.kind == .discretionary
    }

    private mutating func stopped(_ id: TransferID, bytes: Int64, into effects: inout [Effect]) -> Bool {
        guard var entry = entries[id] else { return false }
        entry.bytes = bytes
        switch entry.phase {
        case .stopping(.cancel):
            remove(id)
            effects.append(.discard(id))
            effects.append(.end(id, .cancelled))
            return true
        case .stopping(.pause):
            entry.phase = .paused
        case .stopping(.wait), .running:
            // Running: the executor was shut down under it; it is tried again when conditions allow.
            entry.phase = .waiting(nil)
        case .waiting, .paused:
            return false
        }
        entries[id] = entry
        return true
    }

    private mutating func ranOutOfSpace(
        _ id: TransferID, needed: Int64?, available: Int64, bytes: Int64, at now: Moment,
        into effects: inout [Effect]
    ) -> Bool {
        guard let entry = entries[id], entry.phase.holdsSlot else { return false }
        if case .stopping(let after) = entry.phase, after != .wait {
            return stopped(id, bytes: bytes, into: &effects)
        }
        entries[id]?.bytes = bytes
        entries[id]?.phase = .waiting(
            .storage(
                needed: needed, available: available, since: now,
                nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        return true
    }

    private mutating func measured(_ id: TransferID, available: Int64?, at now: Moment) -> Bool {
        guard let entry = entries[id], case .waiting(.storage(let needed, _, let since, _)) = entry.phase else {
            return false
        }
        // Without a known size any room is worth a try; what cannot be measured is left to the next attempt.
        guard let available, available < max(needed ?? 1, 1) else {
            entries[id]?.phase = .waiting(nil)
            return true
        }
        entries[id]?.phase = .waiting(
            .storage(
                needed: needed, available: available, since: since,
                nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        return true
    }

    private mutating func requestDueMeasurements(at now: Moment, into effects: inout [Effect]) {
        for id in order {
            guard case .waiting(.storage(let needed, let available, let since, let look)) = entries[id]?.phase,
                look <= now.instant
            else { continue }
            effects.append(.measureSpace(id))
            // The answer sets the next look; should none come, it is asked for again later.
            entries[id]?.phase = .waiting(
                .storage(
                    needed: needed, available: available, since: since,
                    nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        }
    }
}
