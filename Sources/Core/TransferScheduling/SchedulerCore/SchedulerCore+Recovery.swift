// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The queue as the store knew it.

extension SchedulerCore where Queue: ~Copyable {
    /// Takes many in at once; whoever looks next at what may run sees all of them.
    mutating func take(_ recovered: borrowing RecoveredTransfers, at now: Moment) {
        note(now)
        // Found out with the first that follows a pattern.
        var places: [Int32?] = recovered.patterns.map { _ in nil }
        let haveStates = !recovered.states.isEmpty
        for row in recovered.rows {
            guard let place = places[Int(row.pattern)], row.isLikeOthers(at: now.wall),
                !haveStates || recovered.states.index(forKey: row.id) == nil
            else {
                takeAlone(row, recovered, &places, at: now)
                continue
            }
            guard !transfers.contains(row.id) else { continue }
            transfers.totals.add(recovered.patterns[Int(row.pattern)].kind, bytes: row.expected, deadline: nil)
            transfers.queue.insert(
                row.id, submitted: row.submitted, notBefore: row.notBefore, expected: row.expected, like: place)
        }
    }

    // Apart, because what is copied for it would be copied for all.
    @inline(never)
    private mutating func takeAlone(
        _ row: RecoveredTransfers.Row, _ recovered: borrowing RecoveredTransfers,
        _ places: inout [Int32?], at now: Moment
    ) {
        let (pattern, state) = (Int(row.pattern), recovered.states[row.id])
        let traits = row.traits(like: recovered.patterns[pattern])
        guard addAgain(row.id, traits, state ?? RecoveredState(), at: now), state == nil else { return }
        // Whose use is to be noted has to be looked at each time.
        if places[pattern] == nil, traits.kind != .userInitiated, row.isLikeOthers(at: now.wall) {
            places[pattern] = transfers.queue.sharedPlace(of: row.id)
        }
    }

    /// Takes a transfer in that the store knew.
    mutating func addAgain(
        _ id: TransferID, _ traits: TransferTraits, _ state: RecoveredState, at now: Moment
    ) -> Bool {
        guard !transfers.contains(id) else { return false }
        var entry = TransferEntry(traits: traits, phase: .waiting(nil))
        entry.recover(state, at: now, configuration)
        if let hold = state.relaunchHold { transfers.relaunchDelays.delay(&entry, id, by: hold, at: now) }
        noteUse(traits)
        transfers.register(id, traits, bytes: entry.bytesRemaining)
        transfers.enqueue(id, entry, assessment)
        return true
    }
}

extension TransferEntry {
    /// Puts a transfer back to where the store has it.
    fileprivate mutating func recover(
        _ state: RecoveredState, at now: Moment, _ configuration: SchedulerConfiguration
    ) {
        if state.isPaused { phase = .paused(since: now) }
        if let hold = state.held { held = Held(by: hold.by, why: hold.why, since: now) }
        if let wanted = state.need { need = Need(need: wanted, since: now) }
        bytes = max(0, state.bytes)
        total = state.total
        mostBytes = max(bytes, state.retry?.mostBytes ?? 0)
        if let retry = state.retry {
            // What a store hands back is no reason to trap when one more is added.
            failures = min(max(0, retry.attempts), Int(Int32.max))
            barren = max(.zero, retry.barren ?? .zero)
            if !state.isPaused {
                // Kept as a date because no boot-time clock survives a reboot; a date that a set clock has moved far
                // away holds no longer than the longest wait there is.
                let longest = now.instant.advanced(by: configuration.backoff(for: traits.kind).longestDelay)
                let until = min(now.instant(of: retry.until), longest)
                phase = .waiting(
                    .backoff(attempt: failures, cause: retry.cause, failed: now, until: until))
            }
        }
    }
}

extension RecoveredTransfers.Row {
    /// Whether it differs from others of its pattern by no more than what changes nothing for the queue, and a record can
    /// hold, in which the ends of the range stand for "none".
    fileprivate func isLikeOthers(at now: WallTime) -> Bool {
        guard deadline == nil, expires == nil, sending == nil, (expected ?? 0) >= 0 else { return false }
        guard let notBefore else { return true }
        return notBefore <= now && notBefore.nanosecondsSinceEpoch != .min
    }
}
