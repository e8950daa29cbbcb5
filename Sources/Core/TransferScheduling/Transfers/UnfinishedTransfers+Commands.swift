// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// Commands on single transfers, and on those of an app.

extension UnfinishedTransfers where Queue: ~Copyable {
    mutating func change(
        _ id: TransferID, to traits: TransferTraits, at now: Moment, _ assessment: Assessment,
        into effects: inout [Effect]
    ) -> Bool {
        if let index = activeIndex(of: id) {
            let entry = active[index].entry
            guard entry.traits != traits else { return false }
            queue.freeSlots(of: entry.traits)
            queue.takeSlots(of: traits)
            active[index].replace(by: changed(id, entry, to: traits, at: now, into: &effects))
            changes.running = true
        } else {
            guard let entry = queue.entry(of: id), entry.traits != traits, dequeue(id) != nil else { return false }
            enqueue(id, changed(id, entry, to: traits, at: now, into: &effects), assessment)
        }
        return true
    }

    /// A transfer with other traits, which is registered with these.
    private mutating func changed(
        _ id: TransferID, _ entry: TransferEntry, to traits: TransferTraits, at now: Moment,
        into effects: inout [Effect]
    ) -> TransferEntry {
        totals.remove(entry)
        expiries.remove(id)
        var changed = entry
        if entry.traits.app != traits.app, let delay = entry.relaunchDelay {
            // It becomes another app's: the limiter would wait for its end for good.
            changed.endRelaunchDelay(at: now)
            relaunchDelays.end(delay, of: id, entry.traits.app, causesRelaunch: false, at: now)
            effects += [.saveRelaunchHold(id, nil), .saveLearned]
        }
        changed.traits = traits
        // Somebody wants it now: it waits no longer, but its app's limiter still counts its end (R4).
        if traits.isFromBackground != true, let release = changed.relaunchDelay?.release {
            changed.relaunchDelay?.release = min(release, now.instant)
        }
        register(id, traits, bytes: changed.bytesRemaining)
        return changed
    }

    /// Cancels a transfer, or lets it expire: now if it waits, else once its attempt has ended.
    ///
    /// - Returns: whether that changes what may run.
    mutating func giveUp(
        _ id: TransferID, as end: TransferPhase.AfterStop, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        if let index = activeIndex(of: id) {
            // What somebody cancels does not expire as well.
            if case .stopping(.cancel) = active[index].entry.phase { return false }
            return stop(at: index, then: end, at: now, into: &effects)
        }
        guard let ending = end.ending else { return false }
        if let plain = queue.removePlain(id) {
            effects.append(.discard(id))
            self.end(id, plain, ending, into: &effects)
            return true
        }
        guard let entry = dequeue(id) else { return false }
        effects.append(.discard(id))
        self.end(id, entry, ending, at: now, into: &effects)
        return true
    }

    /// Lets an attempt end for another reason than conditions; returns whether it has yet to be told.
    mutating func stop(
        at index: Int32, then after: TransferPhase.AfterStop, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard active[index].stop(then: after, at: now) else { return false }
        effects.append(.stop(active[index].id))
        return true
    }

    mutating func pause(_ id: TransferID, at now: Moment, _ assessment: Assessment, into effects: inout [Effect])
        -> Bool
    {
        if let index = activeIndex(of: id) {
            switch active[index].entry.phase {
            case .running, .stopping(.wait):
                effects.append(.savePaused(id, true))
                return stop(at: index, then: .pause, at: now, into: &effects)
            case .stopping(.pause), .stopping(.cancel), .stopping(.expire), .waiting, .paused:
                // Already on its way there, or to its end; and what waits has no attempt.
                return false
            }
        }
        guard case .waiting = queue.entry(of: id)?.phase, var entry = dequeue(id) else { return false }
        entry.endObstacle(at: now)
        entry.phase = .paused(since: now)
        enqueue(id, entry, assessment)
        effects.append(.savePaused(id, true))
        return true
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
        _ id: TransferID, _ assessment: Assessment, _ change: (inout TransferEntry) -> Void
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

    /// A person brought an app to the front: its limiter is forgotten, and what it delayed is free.
    mutating func cameToFront(_ app: String, at now: Moment, _ assessment: Assessment, into effects: inout [Effect]) {
        let (hadLimiter, freed) = relaunchDelays.reset(app)
        if hadLimiter { effects.append(.saveLearned) }
        for id in freed {
            effects.append(.saveRelaunchHold(id, nil))
            _ = obstruct(id, assessment) { $0.endRelaunchDelay(at: now) }
        }
    }
}
