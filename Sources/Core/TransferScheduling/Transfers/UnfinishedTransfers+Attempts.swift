// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The ends of attempts and their causes.

extension UnfinishedTransfers where Queue: ~Copyable {
    /// Stops the attempts of transfers that may not run any longer.
    ///
    /// - Parameter hasChanged: A Boolean value that indicates whether any attempt may be concerned. Otherwise, only
    ///   attempts whose re-evaluation is due are.
    mutating func stopIneligible(
        _ evaluator: PolicyEvaluator, hasChanged: Bool, at now: ClockReading, into effects: inout [Effect]
    ) {
        guard !active.isEmpty else { return }
        let machine = ConditionSignature(evaluator.context.conditions)
        var following = active.first
        while following != Int32.noIndex {
            let index = following
            following = active.next(after: index)
            guard let reasons = active[index].review(evaluator, under: machine, hasChanged: hasChanged, at: now)
            else { continue }
            let id = active[index].id
            effects.append(.stop(id))
            if watches.record(id, reasons) { effects.append(.explain(id)) }
        }
    }

    /// Restarts the attempt of a transfer from byte 0 and discards its bytes and size.
    mutating func restart(_ id: TransferID) -> Bool {
        guard let index = active.number(of: id), case .running(var attempt) = active[index].entry.phase else {
            return false
        }
        let before = active[index].entry.bytesMissing
        attempt.bytesAtStart = 0
        active[index].entry.phase = .running(attempt)
        (active[index].entry.bytes, active[index].entry.total) = (0, nil)
        backlog.update(from: before, to: active[index].entry)
        // Without a size there is no last chance before the deadline, on which the attempt may depend.
        guard active[index].entry.traits.kind == .discretionary else { return false }
        changes.running = true
        return true
    }

    mutating func finished(_ id: TransferID, at now: ClockReading, into effects: inout [Effect]) -> Bool {
        guard let index = active.number(of: id) else { return false }
        let entry = active.remove(index)
        queue.freeSlots(of: entry.traits)
        end(id, entry, .finished, at: now, into: &effects)
        return true
    }

    /// Ends an attempt that leaves `bytes` on disk. The caller must insert the transfer into a list. Returns `nil` if
    /// the transfer has no attempt.
    mutating func endAttempt(of id: TransferID, bytes: Int64, at now: ClockReading) -> TransferEntry? {
        guard let index = active.number(of: id) else { return nil }
        var entry = active.remove(index)
        let before = entry.bytesMissing
        queue.freeSlots(of: entry.traits)
        entry.bytes = bytes
        backlog.update(from: before, to: entry)
        if case .running(let attempt) = entry.phase { entry.addRun(from: attempt.since, to: now) }
        return entry
    }

    mutating func stopped(
        _ id: TransferID, bytes: Int64, at now: ClockReading, _ evaluator: PolicyEvaluator, into effects: inout [Effect]
    ) -> Bool {
        guard let entry = endAttempt(of: id, bytes: bytes, at: now) else { return false }
        finishStop(id, entry, at: now, evaluator, into: &effects)
        return true
    }

    mutating func ranOutOfSpace(
        _ id: TransferID, needed: Int64?, available: Int64, bytes: Int64, at now: ClockReading,
        _ evaluator: PolicyEvaluator,
        into effects: inout [Effect]
    ) -> Bool {
        guard var entry = endAttempt(of: id, bytes: bytes, at: now) else { return false }
        if case .stopping(let after) = entry.phase, after != .wait {
            finishStop(id, entry, at: now, evaluator, into: &effects)
        } else {
            entry.phase = obstacles.waitForSpace(needed: needed, available: available, since: now, at: now)
            enqueue(id, entry, evaluator)
        }
        return true
    }

    /// Handles the end of an attempt that was stopped or whose executor was shut down.
    mutating func finishStop(
        _ id: TransferID, _ entry: TransferEntry, at now: ClockReading, _ evaluator: PolicyEvaluator,
        into effects: inout [Effect]
    ) {
        var entry = entry
        if case .stopping(let after) = entry.phase, let ending = after.ending {
            effects.append(.discard(id))
            return end(id, entry, ending, at: now, into: &effects)
        }
        // If the attempt was running, its executor was shut down. The transfer is retried when conditions allow.
        entry.phase = entry.phase == .stopping(.pause) ? .paused(since: now) : .waiting(nil)
        enqueue(id, entry, evaluator)
    }
}

extension TransferPhase.AfterStop {
    /// The ending of a transfer after this kind of stop; `nil` if the transfer continues later.
    var ending: Ending? {
        switch self {
        case .wait, .pause: nil
        case .cancel: .cancelled
        case .expire: .failed(.expired)
        }
    }
}
