// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

extension Scheduler {
    /// The waits after failures for a transfer of this kind.
    func backoff(for traits: TransferTraits) -> Backoff {
        traits.kind == .userInitiated ? configuration.userInitiatedBackoff : configuration.backgroundBackoff
    }

    /// What follows a failed attempt: another one later, or the end.
    mutating func failed(
        _ id: TransferID, _ cause: FailureCause, retryAfter: Duration?, bytes: Int64, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard var entry = entries[id], entry.phase.holdsSlot else { return false }
        if case .running(let attempt) = entry.phase, bytes >= attempt.progressMark, entry.failures > 0 {
            entry.failures = 0
            effects.append(.saveRetry(id, nil))
        }
        entry.bytes = bytes
        entry.mostBytes = max(entry.mostBytes, bytes)
        if case .stopping(let after) = entry.phase {
            // It failed while it was being stopped: no attempt is counted against it.
            entries[id] = entry
            if after != .wait || cause.mayPass {
                entries[id]?.phase = .stopping(after)
                return stoppedByFailure(id, after, into: &effects)
            }
        }
        if cause == .checksumMismatch { entry.checksumFailures += 1 }
        if !cause.mayPass || entry.checksumFailures >= 2 {
            remove(id)
            effects.append(.end(id, .failed(cause)))
            return true
        }
        if isWithoutNetwork(entry), cause.isOfTheConnection {
            // Losing the network is not a failure: it waits for the network, and no attempt is counted.
            entry.phase = .waiting(nil)
            entries[id] = entry
            return true
        }
        entry.failures += 1
        let limit = entry.traits.maximumAttempts ?? max(1, configuration.maximumAttempts)
        let isPatient = entry.traits.kind == .discretionary && entry.traits.maximumAttempts == nil
        if entry.failures >= limit, !isPatient {
            remove(id)
            effects.append(.end(id, Self.finalEnding(after: cause)))
            return true
        }
        let wait = backoff(for: entry.traits).delay(
            attempt: entry.failures, retryAfter: retryAfter, using: &generator)
        let until = now.instant.advanced(by: wait)
        entry.phase = .waiting(.backoff(attempt: entry.failures, cause: cause, failed: now, until: until))
        entries[id] = entry
        effects.append(
            .saveRetry(
                id,
                RetryState(
                    attempts: entry.failures, cause: cause, until: now.wall(at: until), mostBytes: entry.mostBytes)))
        return true
    }

    private mutating func stoppedByFailure(
        _ id: TransferID, _ after: TransferPhase.AfterStop, into effects: inout [Effect]
    ) -> Bool {
        switch after {
        case .cancel:
            remove(id)
            effects.append(.discard(id))
            effects.append(.end(id, .cancelled))
        case .pause: entries[id]?.phase = .paused
        case .wait: entries[id]?.phase = .waiting(nil)
        }
        return true
    }

    private func isWithoutNetwork(_ entry: TransferEntry) -> Bool {
        guard !entry.traits.isLoopback else { return false }
        return !conditions.network.value.isUsable
    }

    /// A status that was tried often enough is the server's answer; anything else is an error.
    private static func finalEnding(after cause: FailureCause) -> Ending {
        if case .status(let status) = cause { return .answered(status: status) }
        return .failed(cause)
    }
}

extension FailureCause {
    /// Whether the lack of a network could be behind it.
    var isOfTheConnection: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .captivePortal: true
        case .malformedAnswer, .status, .checksumMismatch, .executorLost, .certificate, .unsupportedURL, .redirect,
            .destination, .encodedBody, .tooLarge, .expired, .noProgress:
            false
        }
    }
}
