// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// What follows a failed attempt: another one later, or the end.
    mutating func failed(
        _ id: TransferID, _ cause: FailureCause, retryAfter: Duration?, bytes: Int64, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id) else { return false }
        if case .running(let attempt) = transfers.active[index].entry.phase, bytes >= attempt.progressMark,
            transfers.active[index].entry.failures > 0
        {
            transfers.active[index].entry.failures = 0
            effects.append(.saveRetry(id, nil))
        }
        transfers.setBytes(bytes, at: index)
        let barren = transfers.active[index].entry.barrenTime(at: now)
        var entry = transfers.endAttempt(at: index, now: now)
        noteRunning(isLoopback: entry.traits.isLoopback, at: now)
        if bytes > entry.mostBytes { entry.barren = .zero } else { entry.barren += barren }
        entry.mostBytes = max(entry.mostBytes, bytes)
        if case .stopping(let after) = entry.phase, after != .wait || cause.mayPass {
            // It failed while it was being stopped: no attempt is counted against it.
            transfers.settleStopped(id, entry, at: now, assessment, into: &effects)
            return true
        }
        if cause == .checksumMismatch { entry.checksumFailures += 1 }
        if !cause.mayPass || entry.checksumFailures >= 2 {
            transfers.end(id, entry, .failed(cause), at: now, into: &effects)
            return true
        }
        if !entry.traits.isLoopback, !conditions.network.value.isUsable, cause.isOfTheConnection {
            // Losing the network is not a failure: it waits for the network, and no attempt is counted.
            entry.phase = .waiting(nil)
            transfers.enqueue(id, entry, assessment)
            return true
        }
        retry(id, entry, after: cause, retryAfter: retryAfter, at: now, using: &generator, into: &effects)
        return true
    }

    private mutating func retry(
        _ id: TransferID, _ failed: TransferEntry, after cause: FailureCause, retryAfter: Duration?, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        var entry = failed
        entry.failures += 1
        let limit = entry.traits.maximumAttempts ?? max(1, configuration.maximumAttempts)
        let isPatient = entry.traits.kind == .discretionary && entry.traits.maximumAttempts == nil
        if entry.failures >= limit, !isPatient {
            return transfers.end(id, entry, Ending(after: cause), at: now, into: &effects)
        }
        let wait = configuration.backoff(for: entry.traits.kind).delay(
            attempt: entry.failures, retryAfter: retryAfter, using: &generator)
        // The wait is spent on purpose, so it counts as time in which a byte could have come.
        entry.barren += wait
        if entry.barren >= configuration.longestWithoutProgress {
            return transfers.end(id, entry, .failed(.noProgress), at: now, into: &effects)
        }
        let until = now.instant.advanced(by: wait)
        entry.phase = .waiting(.backoff(attempt: entry.failures, cause: cause, failed: now, until: until))
        effects.append(
            .saveRetry(
                id,
                RetryState(
                    attempts: entry.failures, cause: cause, until: now.wall(at: until), mostBytes: entry.mostBytes,
                    barren: entry.barren)))
        transfers.enqueue(id, entry, assessment)
    }
}

extension TransferEntry {
    /// How long the attempt that ends has gone without a new byte.
    fileprivate func barrenTime(at now: Moment) -> Duration {
        guard case .running(let attempt) = phase else { return .zero }
        return max(.zero, attempt.lastNewByte.duration(to: now.instant))
    }
}

extension Ending {
    /// A status that was tried often enough is the server's answer; anything else is an error.
    fileprivate init(after cause: FailureCause) {
        if case .status(let status) = cause { self = .answered(status: status) } else { self = .failed(cause) }
    }
}

extension FailureCause {
    /// Whether the lack of a network could be behind it.
    var isOfTheConnection: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .captivePortal: true
        case .malformedAnswer, .status, .checksumMismatch, .executorLost, .folderUnavailable, .fileInUse,
            .certificate, .unsupportedURL, .redirect, .destination, .encodedBody, .tooLarge, .expired, .noProgress,
            .sourceChanged, .proxyAuthentication:
            false
        }
    }
}
