// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The ends of waits that result from the last attempt.

extension UnfinishedTransfers where Queue: ~Copyable {
    /// Ends a backoff now. The end is saved, so that the transfer does not wait again after a crash.
    mutating func endBackoff(
        of id: TransferID, leaving attempts: Int, _ cause: FailureCause, at now: ClockReading,
        _ evaluator: PolicyEvaluator,
        into effects: inout [Effect]
    ) {
        guard var entry = dequeue(id) else { return }
        entry.endObstacle(at: now)
        entry.failures = max(0, attempts)
        enqueue(id, entry, evaluator)
        effects.append(.saveRetry(id, attempts > 0 ? entry.retryState(after: cause, until: now.wall) : nil))
    }

    /// Adjusts backoffs after the network was lost or returned.
    ///
    /// A failure shortly before a detected loss is caused by the network, not by the server. The failed attempt does
    /// not count. After the network returns, the rest of a backoff that the loss caused is pointless.
    ///
    /// - Parameter debounce: The time before a detected loss in which the network may already have failed.
    mutating func networkChanged(
        isLost: Bool, within debounce: Duration, at now: ClockReading, _ evaluator: PolicyEvaluator,
        into effects: inout [Effect]
    ) {
        guard !obstacles.backingOff.isEmpty else { return }
        for id in obstacles.backingOff.sorted() {
            guard let entry = queue.entry(of: id), !entry.traits.isLoopback,
                case .waiting(.backoff(let attempt, let cause, let failed, _)) = entry.phase, cause.isConnectionFailure,
                !isLost || failed.instant.advanced(by: debounce) >= now.instant
            else { continue }
            endBackoff(of: id, leaving: isLost ? attempt - 1 : attempt, cause, at: now, evaluator, into: &effects)
        }
    }

    /// Handles a measurement of free disk space; `nil` if the measurement failed.
    mutating func measured(_ id: TransferID, available: Int64?, at now: ClockReading, _ evaluator: PolicyEvaluator)
        -> Bool
    {
        guard case .waiting(.storage(let needed, _, let since, _)) = queue.entry(of: id)?.phase,
            var entry = dequeue(id)
        else { return false }
        // Without a known size, any free space justifies an attempt. If the measurement failed, the next attempt
        // decides.
        if let available, available < max(needed ?? 1, 1) {
            entry.phase = obstacles.waitForSpace(needed: needed, available: available, since: since, at: now)
        } else {
            entry.endObstacle(at: now)
        }
        enqueue(id, entry, evaluator)
        return true
    }

    mutating func requestDueMeasurements(
        at now: ClockReading, _ evaluator: PolicyEvaluator, into effects: inout [Effect]
    ) {
        for id in obstacles.dueMeasurements(at: now.instant) {
            guard case .waiting(.storage(let needed, let available, let since, _)) = queue.entry(of: id)?.phase,
                var entry = dequeue(id)
            else { continue }
            effects.append(.measureSpace(id))
            // The measurement sets the next time. If no measurement arrives, it is requested again later.
            entry.phase = obstacles.waitForSpace(needed: needed, available: available, since: since, at: now)
            enqueue(id, entry, evaluator)
        }
    }
}
