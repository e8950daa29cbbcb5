// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The recovery of the queue from the store.

extension SchedulerCore where Queue: ~Copyable {
    /// Adds many transfers in one step. The next re-evaluation considers all of them.
    mutating func recover(_ recovered: borrowing RecoveredTransfers, at now: ClockReading) {
        record(now)
        // Determined by the first transfer of each pattern.
        var heaps: [Int32?] = recovered.patterns.map { _ in nil }
        let haveStates = !recovered.states.isEmpty
        for row in recovered.rows {
            guard let heap = heaps[Int(row.pattern)], row.isLikeOthers(at: now.wall),
                !haveStates || recovered.states.index(forKey: row.id) == nil
            else {
                recoverIndividually(row, recovered, &heaps, at: now)
                continue
            }
            guard !transfers.contains(row.id) else { continue }
            transfers.queue.insert(
                row.id, submitted: row.submitted, notBefore: row.notBefore, expected: row.expected, like: heap)
        }
    }

    // A separate function, because its copies would otherwise be made for every transfer.
    @inline(never)
    private mutating func recoverIndividually(
        _ row: RecoveredTransfers.Row, _ recovered: borrowing RecoveredTransfers,
        _ heaps: inout [Int32?], at now: ClockReading
    ) {
        let (pattern, state) = (Int(row.pattern), recovered.states[row.id])
        let traits = row.traits(like: recovered.patterns[pattern])
        guard addRecovered(row.id, traits, state ?? RecoveredState(), at: now), state == nil else { return }
        // The use of an app by user-initiated work must be recorded for each transfer.
        if heaps[pattern] == nil, traits.kind != .userInitiated, row.isLikeOthers(at: now.wall) {
            heaps[pattern] = transfers.queue.sharedHeap(of: row.id)
        }
    }

    /// Adds a transfer from the store.
    mutating func addRecovered(
        _ id: TransferID, _ traits: TransferTraits, _ state: RecoveredState, at now: ClockReading
    ) -> Bool {
        guard !transfers.contains(id) else { return false }
        var entry = TransferEntry(traits: traits, phase: .waiting(nil))
        entry.recover(state, at: now, configuration)
        if let stored = state.relaunchDelay { transfers.relaunchDelays.delay(&entry, id, by: stored, at: now) }
        transfers.register(id, traits, missing: entry.bytesMissing)
        refreshPlan()
        transfers.enqueue(id, entry, evaluator)
        return true
    }
}

extension TransferEntry {
    /// Restores the stored state of a transfer.
    fileprivate mutating func recover(
        _ state: RecoveredState, at now: ClockReading, _ configuration: SchedulerConfiguration
    ) {
        if state.isPaused { phase = .paused(since: now) }
        if let stored = state.held { held = Block(by: stored.by, why: stored.why, since: now) }
        if let wanted = state.need { need = Need(need: wanted, since: now) }
        bytes = max(0, state.bytes)
        total = state.total
        mostBytes = max(bytes, state.retry?.mostBytes ?? 0)
        if let retry = state.retry {
            // A stored value must not cause an overflow trap when the count is incremented.
            failures = min(max(0, retry.attempts), Int(Int32.max))
            timeWithoutProgress = max(.zero, retry.timeWithoutProgress ?? .zero)
            if !state.isPaused {
                // The end is stored as a date, because no boot-time clock survives a reboot. If the wall clock was
                // set, the wait lasts no longer than the longest backoff.
                let longest = now.instant.advanced(by: configuration.backoff(for: traits.kind).longestDelay)
                let until = min(now.instant(of: retry.until), longest)
                phase = .waiting(
                    .backoff(attempt: failures, cause: retry.cause, failed: now, until: until))
            }
        }
    }
}

extension RecoveredTransfers.Row {
    /// Returns whether the row differs from its pattern only in parts that do not matter to the queue and that fit a
    /// record. In a record, the ends of the value range mean "none".
    fileprivate func isLikeOthers(at now: WallTime) -> Bool {
        guard deadline == nil, expires == nil, sending == nil, (expected ?? 0) >= 0 else { return false }
        guard let notBefore else { return true }
        return notBefore <= now && notBefore.nanosecondsSinceEpoch != .min
    }
}
