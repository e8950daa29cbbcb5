// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// What is asked of single transfers, and what time does to them.

extension UnfinishedTransfers where Queue: ~Copyable {
    mutating func change(
        _ id: TransferID, to traits: TransferTraits, at now: Moment, _ assessment: Assessment,
        into effects: inout [Effect]
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
            enqueue(id, entry, assessment)
        }
        expiries.remove(id)
        if let expires = traits.expires { expiries.add(id, at: expires) }
        return true
    }

    mutating func cancel(_ id: TransferID, at now: Moment, into effects: inout [Effect]) -> Bool {
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

    mutating func pause(_ id: TransferID, at now: Moment, _ assessment: Assessment, into effects: inout [Effect])
        -> Bool
    {
        guard let index = activeIndex(of: id) else {
            guard let entry = queue.entry(of: id), case .waiting = entry.phase, var paused = dequeue(id) else {
                return false
            }
            paused.endObstacle(at: now)
            paused.phase = .paused(since: now)
            enqueue(id, paused, assessment)
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

    mutating func resume(_ id: TransferID, at now: Moment, _ assessment: Assessment, into effects: inout [Effect])
        -> Bool
    {
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
            enqueue(id, resumed, assessment)
            effects.append(.savePaused(id, false))
            return true
        case .waiting(.backoff(let attempt, let cause, _, _)):
            // Somebody asks for it now: the wait is over, what failed so far is remembered.
            endBackoff(of: id, leaving: attempt, cause, at: now, assessment, into: &effects)
            return true
        case .waiting, .running, .stopping:
            return false  // Nothing is paused.
        }
    }

    /// Sets or lifts what keeps a transfer back beside conditions.
    mutating func obstruct(
        _ id: TransferID, at now: Moment, _ assessment: Assessment, _ change: (inout TransferEntry) -> Void
    ) -> Bool {
        if let index = activeIndex(of: id) {
            change(&active[index].entry)
            changes.running = true
            return true
        }
        guard var entry = dequeue(id) else { return false }
        change(&entry)
        enqueue(id, entry, assessment)
        return true
    }

    /// Ends the delay of a transfer that becomes another app's: the limiter would wait for its end for good.
    private mutating func leaveLimiter(
        _ id: TransferID, of entry: TransferEntry, for newApp: String, at now: Moment, into effects: inout [Effect]
    ) -> TransferEntry {
        guard entry.traits.app != newApp, let delay = entry.relaunchDelay else { return entry }
        var freed = entry
        freed.endRelaunchDelay(at: now)
        relaunchDelays.end(delay, of: id, entry.traits.app, causesRelaunch: false, at: now)
        effects += [.saveRelaunchHold(id, nil), .saveLearned]
        return freed
    }

    /// What follows the end of an attempt that was told to stop, or was shut down under us.
    mutating func settleStopped(
        _ id: TransferID, _ entry: TransferEntry, at now: Moment, _ assessment: Assessment, into effects: inout [Effect]
    ) {
        var entry = entry
        switch entry.phase {
        case .stopping(.cancel):
            effects.append(.discard(id))
            end(id, entry, .cancelled, at: now, into: &effects)
        case .stopping(.expire):
            effects.append(.discard(id))
            end(id, entry, .failed(.expired), at: now, into: &effects)
        case .stopping(.pause):
            entry.phase = .paused(since: now)
            enqueue(id, entry, assessment)
        case .stopping(.wait), .running, .waiting, .paused:
            // Running: the executor was shut down under it; it is tried again when conditions allow.
            entry.phase = .waiting(nil)
            enqueue(id, entry, assessment)
        }
    }

    /// Ends the wait after a failure now. Saved as well, so that a start after a crash does not wait again.
    mutating func endBackoff(
        of id: TransferID, leaving attempts: Int, _ cause: FailureCause, at now: Moment, _ assessment: Assessment,
        into effects: inout [Effect]
    ) {
        guard var entry = dequeue(id) else { return }
        entry.endObstacle(at: now)
        entry.failures = max(0, attempts)
        let rest =
            attempts > 0
            ? RetryState(
                attempts: attempts, cause: cause, until: now.wall, mostBytes: entry.mostBytes, barren: entry.barren)
            : nil
        enqueue(id, entry, assessment)
        effects.append(.saveRetry(id, rest))
    }

    mutating func measured(_ id: TransferID, available: Int64?, at now: Moment, _ assessment: Assessment) -> Bool {
        guard measurements[id] != nil, var entry = dequeue(id),
            case .waiting(.storage(let needed, _, let since, _)) = entry.phase
        else { return false }
        // Without a known size any room is worth a try; what cannot be measured is left to the next attempt.
        if let available, available < max(needed ?? 1, 1) {
            entry.phase = .waiting(
                .storage(
                    needed: needed, available: available, since: since,
                    nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        } else {
            entry.endObstacle(at: now)
        }
        enqueue(id, entry, assessment)
        return true
    }

    mutating func requestDueMeasurements(at now: Moment, _ assessment: Assessment, into effects: inout [Effect]) {
        guard !measurements.isEmpty else { return }
        for id in measurements.keys.sorted() {
            guard let look = measurements[id], look <= now.instant, var entry = dequeue(id),
                case .waiting(.storage(let needed, let available, let since, _)) = entry.phase
            else { continue }
            effects.append(.measureSpace(id))
            // The answer sets the next look; should none come, it is asked for again later.
            entry.phase = .waiting(
                .storage(
                    needed: needed, available: available, since: since,
                    nextLook: now.instant.advanced(by: configuration.spaceInterval)))
            enqueue(id, entry, assessment)
        }
    }
}
