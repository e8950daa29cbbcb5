// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

extension SchedulerCore where Queue: ~Copyable {
    /// The waits after failures for a transfer of this kind.
    func backoff(for traits: TransferTraits) -> Backoff {
        traits.kind == .userInitiated ? configuration.userInitiatedBackoff : configuration.backgroundBackoff
    }

    /// What follows a failed attempt: another one later, or the end.
    mutating func failed(
        _ id: TransferID, _ cause: FailureCause, retryAfter: Duration?, bytes: Int64, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard let index = activeIndex(of: id) else { return false }
        if case .running(let attempt) = active[index].entry.phase, bytes >= attempt.progressMark,
            active[index].entry.failures > 0
        {
            active[index].entry.failures = 0
            effects.append(.saveRetry(id, nil))
        }
        setBytes(bytes, at: index)
        let barren = barrenTime(of: active[index].entry, at: now)
        var entry = endAttempt(at: index, now: now)
        if bytes > entry.mostBytes { entry.barren = .zero } else { entry.barren += barren }
        entry.mostBytes = max(entry.mostBytes, bytes)
        if case .stopping(let after) = entry.phase, after != .wait || cause.mayPass {
            // It failed while it was being stopped: no attempt is counted against it.
            settleStopped(id, entry, at: now, into: &effects)
            return true
        }
        if cause == .checksumMismatch { entry.checksumFailures += 1 }
        if !cause.mayPass || entry.checksumFailures >= 2 {
            end(id, entry, .failed(cause), at: now, into: &effects)
            return true
        }
        if isWithoutNetwork(entry), cause.isOfTheConnection {
            // Losing the network is not a failure: it waits for the network, and no attempt is counted.
            entry.phase = .waiting(nil)
            enqueue(id, entry)
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
            return end(id, entry, Self.finalEnding(after: cause), at: now, into: &effects)
        }
        let wait = backoff(for: entry.traits).delay(
            attempt: entry.failures, retryAfter: retryAfter, using: &generator)
        // The wait is spent on purpose, so it counts as time in which a byte could have come.
        entry.barren += wait
        if entry.barren >= configuration.longestWithoutProgress {
            return end(id, entry, .failed(.noProgress), at: now, into: &effects)
        }
        let until = now.instant.advanced(by: wait)
        entry.phase = .waiting(.backoff(attempt: entry.failures, cause: cause, failed: now, until: until))
        effects.append(
            .saveRetry(
                id,
                RetryState(
                    attempts: entry.failures, cause: cause, until: now.wall(at: until), mostBytes: entry.mostBytes,
                    barren: entry.barren)))
        enqueue(id, entry)
    }

    /// How long the attempt that ends has gone without a new byte.
    private func barrenTime(of entry: TransferEntry, at now: Moment) -> Duration {
        guard case .running(let attempt) = entry.phase else { return .zero }
        return max(.zero, attempt.lastNewByte.duration(to: now.instant))
    }

    private func isWithoutNetwork(_ entry: TransferEntry) -> Bool {
        !entry.traits.isLoopback && !conditions.network.value.isUsable
    }

    /// A status that was tried often enough is the server's answer; anything else is an error.
    private static func finalEnding(after cause: FailureCause) -> Ending {
        if case .status(let status) = cause { return .answered(status: status) }
        return .failed(cause)
    }

    /// Ends the wait after a failure now. Saved as well, so that a start after a crash does not wait again.
    mutating func endBackoff(
        of id: TransferID, leaving attempts: Int, _ cause: FailureCause, at now: Moment, into effects: inout [Effect]
    ) {
        guard var entry = dequeue(id) else { return }
        entry.endObstacle(at: now)
        entry.failures = max(0, attempts)
        let rest =
            attempts > 0
            ? RetryState(
                attempts: attempts, cause: cause, until: now.wall, mostBytes: entry.mostBytes, barren: entry.barren)
            : nil
        enqueue(id, entry)
        effects.append(.saveRetry(id, rest))
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
