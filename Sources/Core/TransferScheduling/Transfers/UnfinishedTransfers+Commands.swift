// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// Commands on single transfers and on all transfers of an app.

extension UnfinishedTransfers where Queue: ~Copyable {
    mutating func change(
        _ id: TransferID, to traits: TransferTraits, at now: ClockReading, _ evaluator: PolicyEvaluator,
        into effects: inout [Effect]
    ) -> Bool {
        if let index = active.number(of: id) {
            let entry = active[index].entry
            guard entry.traits != traits else { return false }
            queue.freeSlots(of: entry.traits)
            queue.acquireSlots(of: traits)
            active[index].replace(by: changed(id, entry, to: traits, at: now, into: &effects))
            changes.running = true
        } else {
            guard let entry = queue.entry(of: id), entry.traits != traits, dequeue(id) != nil else { return false }
            enqueue(id, changed(id, entry, to: traits, at: now, into: &effects), evaluator)
        }
        return true
    }

    /// Returns the entry with new traits, and registers the transfer with them.
    private mutating func changed(
        _ id: TransferID, _ entry: TransferEntry, to traits: TransferTraits, at now: ClockReading,
        into effects: inout [Effect]
    ) -> TransferEntry {
        backlog.remove(entry)
        expiries.remove(id)
        if entry.traits.constraints.deadline != traits.constraints.deadline { notices.remove(id) }
        var changed = entry
        if entry.traits.app != traits.app, let delay = entry.relaunchDelay {
            // The transfer moves to another app. The previous limiter would otherwise wait for its end forever.
            changed.endRelaunchDelay(at: now)
            relaunchDelays.end(delay, of: id, entry.traits.app, causesRelaunch: false, at: now)
            effects += [.saveRelaunchDelay(id, nil), .saveStatistics]
        }
        changed.traits = traits
        // The user wants the transfer now. The transfer no longer waits, but its app's limiter still counts its end
        // (R4).
        if traits.isFromBackground != true, let release = changed.relaunchDelay?.release {
            changed.relaunchDelay?.release = min(release, now.instant)
        }
        register(id, traits, missing: changed.bytesMissing)
        return changed
    }

    /// Cancels or expires a transfer: immediately if it waits, otherwise after its attempt has ended.
    ///
    /// - Returns: A Boolean value that indicates whether the set of transfers that may run may change.
    mutating func giveUp(
        _ id: TransferID, as end: TransferPhase.AfterStop, at now: ClockReading, into effects: inout [Effect]
    ) -> Bool {
        if let index = active.number(of: id) {
            // A transfer that is being cancelled does not expire as well.
            if case .stopping(.cancel) = active[index].entry.phase { return false }
            return stop(at: index, then: end, at: now, into: &effects)
        }
        guard let ending = end.ending else { return false }
        guard let entry = dequeue(id) else { return false }
        effects.append(.discard(id))
        self.end(id, entry, ending, at: now, into: &effects)
        return true
    }

    /// Stops an attempt for a reason other than conditions; returns whether the attempt was still running.
    mutating func stop(
        at index: Int32, then after: TransferPhase.AfterStop, at now: ClockReading, into effects: inout [Effect]
    ) -> Bool {
        guard active[index].stop(then: after, at: now) else { return false }
        effects.append(.stop(active[index].id))
        return true
    }

    mutating func pause(
        _ id: TransferID, at now: ClockReading, _ evaluator: PolicyEvaluator, into effects: inout [Effect]
    )
        -> Bool
    {
        if let index = active.number(of: id) {
            switch active[index].entry.phase {
            case .running, .stopping(.wait):
                effects.append(.savePaused(id, true))
                return stop(at: index, then: .pause, at: now, into: &effects)
            case .stopping(.pause), .stopping(.cancel), .stopping(.expire), .waiting, .paused:
                // The transfer is already being paused or ended. A waiting transfer has no attempt.
                return false
            }
        }
        guard case .waiting = queue.entry(of: id)?.phase, var entry = dequeue(id) else { return false }
        entry.endObstacle(at: now)
        entry.phase = .paused(since: now)
        enqueue(id, entry, evaluator)
        effects.append(.savePaused(id, true))
        return true
    }

    mutating func resume(
        _ id: TransferID, at now: ClockReading, _ evaluator: PolicyEvaluator, into effects: inout [Effect]
    )
        -> Bool
    {
        if let index = active.number(of: id) {
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
            enqueue(id, resumed, evaluator)
            effects.append(.savePaused(id, false))
            return true
        case .waiting(.backoff(let attempt, let cause, _, _)):
            // The user requests the transfer now: the backoff ends, but its failures are kept.
            endBackoff(of: id, leaving: attempt, cause, at: now, evaluator, into: &effects)
            return true
        case .waiting, .running, .stopping:
            return false  // Nothing is paused.
        }
    }

    /// Sets or removes an obstacle that does not depend on conditions.
    mutating func obstruct(
        _ id: TransferID, _ evaluator: PolicyEvaluator, _ change: (inout TransferEntry) -> Void
    ) -> Bool {
        if let index = active.number(of: id) {
            change(&active[index].entry)
            changes.running = true
            return true
        }
        guard var entry = dequeue(id) else { return false }
        change(&entry)
        enqueue(id, entry, evaluator)
        return true
    }

    /// Resets an app's limiter and frees the transfers it delayed, because the user brought the app to the front.
    mutating func cameToFront(
        _ app: String, at now: ClockReading, _ evaluator: PolicyEvaluator, into effects: inout [Effect]
    ) {
        let (hadLimiter, freed) = relaunchDelays.reset(app)
        if hadLimiter { effects.append(.saveStatistics) }
        for id in freed {
            effects.append(.saveRelaunchDelay(id, nil))
            _ = obstruct(id, evaluator) { $0.endRelaunchDelay(at: now) }
        }
    }
}
