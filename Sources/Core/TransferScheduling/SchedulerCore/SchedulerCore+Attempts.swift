// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// What executors report of attempts, and what is measured for them.

extension SchedulerCore where Queue: ~Copyable {
    mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = activeIndex(of: id), case .running(var attempt) = active[index].entry.phase else {
            return false
        }
        var entry = active[index].entry
        let usualRate = assessment.typicalRate
        noteRate(&entry, since: attempt.lastReport, bytes: bytes, at: now)
        let isCharged = chargeBytes(entry, to: bytes, at: now)
        attempt.lastReport = now.instant
        if bytes > entry.mostBytes {
            attempt.lastNewByte = now.instant
            entry.barren = .zero
        }
        entry.phase = .running(attempt)
        entry.bytes = bytes
        let learnedTotal = entry.total == nil && total != nil
        entry.total = total ?? entry.total
        entry.mostBytes = max(entry.mostBytes, bytes)
        if bytes >= attempt.progressMark, entry.failures > 0 {
            entry.failures = 0
            effects.append(.saveRetry(id, nil))
        }
        totals.update(from: active[index].entry, to: entry)
        active[index].entry = entry
        // Only the size moves what a policy may say before its next look, and a budget that comes to its end.
        if isCharged || (learnedTotal && entry.traits.kind == .discretionary) {
            if isCharged { changes.budgets = true } else { changes.running = true }
            return true
        }
        // Or the rate, where a window was too short for somebody. Who is asked about alone is asked at the next event.
        return usualRate != assessment.typicalRate && !assessment.followsQueue && queue.hasBlockedBySize
    }

    private mutating func noteRate(_ entry: inout TransferEntry, since last: Instant, bytes: Int64, at now: Moment) {
        let elapsed = last.duration(to: now.instant).wholeNanoseconds
        guard elapsed > 0, bytes > entry.bytes else { return }
        let sample = Double(bytes - entry.bytes) / (Double(elapsed) / 1e9)
        // A quarter of each sample: steady enough to read, quick enough to follow a link that changes.
        func smoothed(_ rate: Int64?) -> Int64 {
            Int64(min(rate.map { Double($0) * 0.75 + sample * 0.25 } ?? sample, 1e15))
        }
        entry.rate = smoothed(entry.rate)
        if !entry.traits.isLoopback { assessment.typicalRate = smoothed(assessment.typicalRate) }
    }

    /// Counts what came over a network that costs money; says whether a budget may have changed its state by that.
    private mutating func chargeBytes(_ entry: borrowing TransferEntry, to bytes: Int64, at now: Moment) -> Bool {
        guard bytes > entry.bytes, !entry.traits.isLoopback,
            configuration.unknownMetered.isMetered(conditions) != nil
        else { return false }
        let new = max(0, bytes).addingSaturating(-max(0, entry.bytes))
        let localTime = conditions.localTime
        assessment.context.history.spending.charge(meteredBytes: new, at: now.wall, localTime: localTime)
        // A policy that is asked about each transfer may go by what was spent.
        guard !assessment.context.budgets.isEmpty else { return new > 0 && !assessment.isStaged }
        let (connection, app) = (conditions.connection.value, entry.traits.app)
        // Each for itself: where an app's own is spent already, its connection's may still change for others.
        let before = assessment.context.budgets.states(
            connection: connection, app: app, at: now.wall, localTime: localTime)
        // The count is not negative, the only thing that this would refuse.
        try? assessment.context.budgets.charge(
            new, connection: connection, app: app, at: now.wall, localTime: localTime)
        let after = assessment.context.budgets.states(
            connection: connection, app: app, at: now.wall, localTime: localTime)
        return before != after || (new > 0 && !assessment.isStaged)
    }

    mutating func restart(_ id: TransferID) -> Bool {
        guard let index = activeIndex(of: id), case .running(var attempt) = active[index].entry.phase else {
            return false
        }
        let before = active[index].entry
        attempt.bytesAtStart = 0
        active[index].entry.phase = .running(attempt)
        active[index].entry.bytes = 0
        active[index].entry.total = nil
        totals.update(from: before, to: active[index].entry)
        // Without a size there is no last chance, should that be what it runs on.
        guard active[index].entry.traits.kind == .discretionary else { return false }
        changes.running = true
        return true
    }

    mutating func stopped(
        _ id: TransferID, bytes: Int64, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = activeIndex(of: id) else { return false }
        setBytes(bytes, at: index)
        settleStopped(id, endAttempt(at: index, now: now), at: now, into: &effects)
        return true
    }

    /// What follows the end of an attempt that was told to stop, or was shut down under us.
    mutating func settleStopped(
        _ id: TransferID, _ entry: TransferEntry, at now: Moment, into effects: inout [Effect]
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
            enqueue(id, entry)
        case .stopping(.wait), .running, .waiting, .paused:
            // Running: the executor was shut down under it; it is tried again when conditions allow.
            entry.phase = .waiting(nil)
            enqueue(id, entry)
        }
    }

    /// Notes how many bytes an attempt leaves.
    mutating func setBytes(_ bytes: Int64, at index: Int32) {
        let before = active[index].entry
        active[index].entry.bytes = bytes
        totals.update(from: before, to: active[index].entry)
    }

    mutating func ranOutOfSpace(
        _ id: TransferID, needed: Int64?, available: Int64, bytes: Int64, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = activeIndex(of: id) else { return false }
        if case .stopping(let after) = active[index].entry.phase, after != .wait {
            return stopped(id, bytes: bytes, at: now, into: &effects)
        }
        setBytes(bytes, at: index)
        var entry = endAttempt(at: index, now: now)
        entry.phase = .waiting(
            .storage(
                needed: needed, available: available, since: now,
                nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        enqueue(id, entry)
        return true
    }

    mutating func measured(_ id: TransferID, available: Int64?, at now: Moment) -> Bool {
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
        enqueue(id, entry)
        return true
    }

    mutating func requestDueMeasurements(at now: Moment, into effects: inout [Effect]) {
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
            enqueue(id, entry)
        }
    }
}
