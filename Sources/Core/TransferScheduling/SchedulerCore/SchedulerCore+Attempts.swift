// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// What executors report of attempts: bytes, and failures with what follows them.

extension SchedulerCore where Queue: ~Copyable {
    mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: Moment, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id),
            case .running(var attempt) = transfers.active[index].entry.phase
        else {
            return false
        }
        let before = transfers.active[index].entry
        var entry = before
        let usualRate = assessment.typicalRate
        if let sample = RateSample(of: bytes - before.bytes, in: attempt.lastReport.duration(to: now.instant)) {
            entry.rate = sample.smoothing(before.rate)
            if !before.traits.isLoopback { assessment.typicalRate = sample.smoothing(usualRate) }
        }
        // A policy that is asked about each transfer may go by what was spent.
        let isCharged =
            bytes > before.bytes && !before.traits.isLoopback
            && configuration.unknownMetered.isMetered(assessment.conditions) != nil
            && (assessment.context.charge(meteredBytes: bytes - before.bytes, app: before.traits.app)
                || !assessment.isStaged)
        attempt.lastReport = now.instant
        if bytes > entry.mostBytes {
            attempt.lastNewByte = now.instant
            entry.barren = .zero
        }
        if entry.forgetFailures(in: attempt, after: bytes) { effects.append(.saveRetry(id, nil)) }
        entry.phase = .running(attempt)
        entry.bytes = bytes
        entry.total = total ?? before.total
        entry.mostBytes = max(entry.mostBytes, bytes)
        transfers.totals.update(from: before, to: entry)
        transfers.active[index].entry = entry
        // Only the size moves what a policy may say before its next look, and a budget that comes to its end.
        let hasLearnedTotal = before.total == nil && total != nil && entry.traits.kind == .discretionary
        if isCharged { transfers.changes.budgets = true } else if hasLearnedTotal { transfers.changes.running = true }
        // Or the rate, where a window was too short for somebody. Who is asked about alone is asked at the next event.
        return isCharged || hasLearnedTotal
            || (usualRate != assessment.typicalRate && !assessment.followsQueue && transfers.queue.hasBlockedBySize)
    }

    /// What follows a failed attempt: another one later, or the end.
    mutating func failed(
        _ id: TransferID, _ cause: FailureCause, retryAfter: Duration?, bytes: Int64, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard var entry = transfers.endAttempt(of: id, bytes: bytes, at: now) else { return false }
        if case .running(let attempt) = entry.phase {
            if entry.forgetFailures(in: attempt, after: bytes) { effects.append(.saveRetry(id, nil)) }
            entry.barren += max(.zero, attempt.lastNewByte.duration(to: now.instant))
        }
        if bytes > entry.mostBytes { entry.barren = .zero }
        entry.mostBytes = max(entry.mostBytes, bytes)
        if case .stopping(let after) = entry.phase, after != .wait || cause.mayPass {
            // It failed while it was being stopped: no attempt is counted against it.
            transfers.settleStopped(id, entry, at: now, assessment, into: &effects)
            return true
        }
        if cause == .checksumMismatch { entry.checksumFailures += 1 }
        if !cause.mayPass || entry.checksumFailures >= 2 {
            transfers.end(id, entry, .failed(cause), at: now, into: &effects)
        } else if !entry.traits.isLoopback, !assessment.conditions.network.value.isUsable, cause.isOfTheConnection {
            // Losing the network is not a failure: it waits for the network, and no attempt is counted.
            entry.phase = .waiting(nil)
            transfers.enqueue(id, entry, assessment)
        } else {
            retry(id, entry, after: cause, retryAfter: retryAfter, at: now, using: &generator, into: &effects)
        }
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
        effects.append(.saveRetry(id, entry.retryState(after: cause, until: now.wall(at: until))))
        transfers.enqueue(id, entry, assessment)
    }
}

extension TransferEntry {
    /// Forgets failures if an attempt has made progress with so many bytes; returns whether there were any.
    fileprivate mutating func forgetFailures(in attempt: borrowing TransferPhase.Attempt, after bytes: Int64) -> Bool {
        guard bytes >= attempt.progressMark, failures > 0 else { return false }
        failures = 0
        return true
    }

    /// The failures as they are stored.
    func retryState(after cause: FailureCause, until: WallTime) -> RetryState {
        RetryState(attempts: failures, cause: cause, until: until, mostBytes: mostBytes, barren: barren)
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
