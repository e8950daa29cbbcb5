// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// What executors report of attempts, and what is measured for them.

extension SchedulerCore where Queue: ~Copyable {
    mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id),
            case .running(var attempt) = transfers.active[index].entry.phase
        else {
            return false
        }
        var entry = transfers.active[index].entry
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
        transfers.totals.update(from: transfers.active[index].entry, to: entry)
        transfers.active[index].entry = entry
        // Only the size moves what a policy may say before its next look, and a budget that comes to its end.
        if isCharged || (learnedTotal && entry.traits.kind == .discretionary) {
            if isCharged { transfers.changes.budgets = true } else { transfers.changes.running = true }
            return true
        }
        // Or the rate, where a window was too short for somebody. Who is asked about alone is asked at the next event.
        return usualRate != assessment.typicalRate && !assessment.followsQueue && transfers.queue.hasBlockedBySize
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
        guard let index = transfers.activeIndex(of: id),
            case .running(var attempt) = transfers.active[index].entry.phase
        else {
            return false
        }
        let before = transfers.active[index].entry
        attempt.bytesAtStart = 0
        transfers.active[index].entry.phase = .running(attempt)
        transfers.active[index].entry.bytes = 0
        transfers.active[index].entry.total = nil
        transfers.totals.update(from: before, to: transfers.active[index].entry)
        // Without a size there is no last chance, should that be what it runs on.
        guard transfers.active[index].entry.traits.kind == .discretionary else { return false }
        transfers.changes.running = true
        return true
    }

    mutating func stopped(
        _ id: TransferID, bytes: Int64, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id) else { return false }
        transfers.setBytes(bytes, at: index)
        let entry = transfers.endAttempt(at: index, now: now)
        noteRunning(isLoopback: entry.traits.isLoopback, at: now)
        transfers.settleStopped(id, entry, at: now, assessment, into: &effects)
        return true
    }

    mutating func ranOutOfSpace(
        _ id: TransferID, needed: Int64?, available: Int64, bytes: Int64, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id) else { return false }
        if case .stopping(let after) = transfers.active[index].entry.phase, after != .wait {
            return stopped(id, bytes: bytes, at: now, into: &effects)
        }
        transfers.setBytes(bytes, at: index)
        var entry = transfers.endAttempt(at: index, now: now)
        noteRunning(isLoopback: entry.traits.isLoopback, at: now)
        entry.phase = .waiting(
            .storage(
                needed: needed, available: available, since: now,
                nextLook: now.instant.advanced(by: configuration.spaceInterval)))
        transfers.enqueue(id, entry, assessment)
        return true
    }
}
