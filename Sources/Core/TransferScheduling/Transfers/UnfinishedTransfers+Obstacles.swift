// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The ends of waits that came from the last attempt.

extension UnfinishedTransfers where Queue: ~Copyable {
    /// Ends the wait after a failure now. Saved as well, so that a start after a crash does not wait again.
    mutating func endBackoff(
        of id: TransferID, leaving attempts: Int, _ cause: FailureCause, at now: Moment, _ assessment: Assessment,
        into effects: inout [Effect]
    ) {
        guard var entry = dequeue(id) else { return }
        entry.endObstacle(at: now)
        entry.failures = max(0, attempts)
        enqueue(id, entry, assessment)
        effects.append(.saveRetry(id, attempts > 0 ? entry.retryState(after: cause, until: now.wall) : nil))
    }

    /// The network was lost or came back.
    ///
    /// A failure shortly before a loss was seen is the network's, not the server's: it costs no attempt. And once there is
    /// a network again, the rest of a backoff that its absence caused helps nobody.
    ///
    /// - Parameter dwell: how long before its loss the network may have failed.
    mutating func networkChanged(
        isLost: Bool, within dwell: Duration, at now: Moment, _ assessment: Assessment, into effects: inout [Effect]
    ) {
        guard !obstacles.backingOff.isEmpty else { return }
        for id in obstacles.backingOff.sorted() {
            guard let entry = queue.entry(of: id), !entry.traits.isLoopback,
                case .waiting(.backoff(let attempt, let cause, let failed, _)) = entry.phase, cause.isOfTheConnection,
                !isLost || failed.instant.advanced(by: dwell) >= now.instant
            else { continue }
            endBackoff(of: id, leaving: isLost ? attempt - 1 : attempt, cause, at: now, assessment, into: &effects)
        }
    }

    /// Takes in the room that was measured; nil if it cannot be.
    mutating func measured(_ id: TransferID, available: Int64?, at now: Moment, _ assessment: Assessment) -> Bool {
        guard case .waiting(.storage(let needed, _, let since, _)) = queue.entry(of: id)?.phase,
            var entry = dequeue(id)
        else { return false }
        // Without a known size any room is worth a try; what cannot be measured is left to the next attempt.
        if let available, available < max(needed ?? 1, 1) {
            entry.phase = obstacles.waitForSpace(needed: needed, available: available, since: since, at: now)
        } else {
            entry.endObstacle(at: now)
        }
        enqueue(id, entry, assessment)
        return true
    }

    mutating func requestDueMeasurements(at now: Moment, _ assessment: Assessment, into effects: inout [Effect]) {
        for id in obstacles.dueMeasurements(at: now.instant) {
            guard case .waiting(.storage(let needed, let available, let since, _)) = queue.entry(of: id)?.phase,
                var entry = dequeue(id)
            else { continue }
            effects.append(.measureSpace(id))
            // The answer sets the next look; should none come, it is asked for again later.
            entry.phase = obstacles.waitForSpace(needed: needed, available: available, since: since, at: now)
            enqueue(id, entry, assessment)
        }
    }
}
