// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The reports of executors about attempts: progress, and failures with their consequences.

extension SchedulerCore where Queue: ~Copyable {
    mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: ClockReading, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.activeIndex(of: id),
            case .running(var attempt) = transfers.active[index].entry.phase
        else {
            return false
        }
        let before = transfers.active[index].entry
        var entry = before
        let usualRate = evaluator.typicalRate
        if let sample = RateSample(of: bytes - before.bytes, in: attempt.lastReport.duration(to: now.instant)) {
            entry.rate = sample.smoothing(before.rate)
            if !before.traits.isLoopback {
                evaluator.typicalRate = sample.smoothing(usualRate)
                throughput.record(
                    bytes - before.bytes, since: attempt.lastReport, at: now,
                    on: evaluator.context.conditions.throughputKey,
                    in: &evaluator.context.history.throughput)
            }
        }
        // A policy that evaluates each transfer may consider spent bytes.
        let isCharged =
            bytes > before.bytes && !before.traits.isLoopback
            && configuration.unknownMetered.isMetered(evaluator.conditions) != nil
            && (evaluator.context.charge(meteredBytes: bytes - before.bytes, app: before.traits.app)
                || !evaluator.isPhased)
        attempt.lastReport = now.instant
        if bytes > entry.mostBytes {
            attempt.lastNewByte = now.instant
            entry.timeWithoutProgress = .zero
        }
        if entry.forgetFailures(in: attempt, after: bytes) { effects.append(.saveRetry(id, nil)) }
        entry.phase = .running(attempt)
        entry.bytes = bytes
        entry.total = total ?? before.total
        entry.mostBytes = max(entry.mostBytes, bytes)
        transfers.totals.update(from: before, to: entry)
        transfers.active[index].entry = entry
        checkProgress(of: id, entry, at: now, into: &effects)
        // Before the next re-evaluation, only a new size or an exhausted budget changes a policy's verdict.
        let hasNewTotal = before.total == nil && total != nil && entry.traits.kind == .discretionary
        if isCharged { transfers.changes.budgets = true } else if hasNewTotal { transfers.changes.running = true }
        // A new rate also matters if a window was too short for a transfer. A policy that evaluates each transfer does
        // so at the next event.
        return isCharged || hasNewTotal || isPlanOutdated
            || (usualRate != evaluator.typicalRate && !evaluator.followsQueue && transfers.queue.hasBlockedBySize)
    }

    /// Handles a failed attempt: schedules a retry or ends the transfer.
    mutating func failed(
        _ id: TransferID, _ cause: FailureCause, retryAfter: Duration?, bytes: Int64, at now: ClockReading,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) -> Bool {
        guard var entry = transfers.endAttempt(of: id, bytes: bytes, at: now) else { return false }
        if case .running(let attempt) = entry.phase {
            if entry.forgetFailures(in: attempt, after: bytes) { effects.append(.saveRetry(id, nil)) }
            entry.timeWithoutProgress += max(.zero, attempt.lastNewByte.duration(to: now.instant))
        }
        if bytes > entry.mostBytes { entry.timeWithoutProgress = .zero }
        entry.mostBytes = max(entry.mostBytes, bytes)
        if case .stopping(let after) = entry.phase, after != .wait || cause.isTemporary {
            // The attempt failed while it was being stopped, so the failure does not count.
            transfers.finishStop(id, entry, at: now, evaluator, into: &effects)
            return true
        }
        if cause == .checksumMismatch { entry.checksumFailures += 1 }
        if !cause.isTemporary || entry.checksumFailures >= 2 {
            transfers.end(id, entry, .failed(cause), at: now, into: &effects)
        } else if !entry.traits.isLoopback, !evaluator.context.conditions.network.value.isUsable,
            cause.isConnectionFailure
        {
            // The loss of the network is not a failure. The transfer waits for the network, and no attempt counts.
            entry.phase = .waiting(nil)
            transfers.enqueue(id, entry, evaluator)
        } else {
            retry(id, entry, after: cause, retryAfter: retryAfter, at: now, using: &generator, into: &effects)
        }
        return true
    }

    private mutating func retry(
        _ id: TransferID, _ failed: TransferEntry, after cause: FailureCause, retryAfter: Duration?,
        at now: ClockReading,
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
        // The wait is deliberate, but counts as time in which a byte could have arrived.
        entry.timeWithoutProgress += wait
        if entry.timeWithoutProgress >= configuration.longestWithoutProgress {
            return transfers.end(id, entry, .failed(.noProgress), at: now, into: &effects)
        }
        let until = now.instant.advanced(by: wait)
        entry.phase = .waiting(.backoff(attempt: entry.failures, cause: cause, failed: now, until: until))
        effects.append(.saveRetry(id, entry.retryState(after: cause, until: now.wall(at: until))))
        transfers.enqueue(id, entry, evaluator)
    }
}

extension TransferEntry {
    /// Resets the failures if the attempt has made enough progress; returns whether there were any failures.
    fileprivate mutating func forgetFailures(in attempt: borrowing TransferPhase.Attempt, after bytes: Int64) -> Bool {
        guard bytes >= attempt.progressMark, failures > 0 else { return false }
        failures = 0
        return true
    }

    /// Returns the failures in their stored form.
    func retryState(after cause: FailureCause, until: WallTime) -> RetryState {
        RetryState(
            attempts: failures, cause: cause, until: until, mostBytes: mostBytes,
            timeWithoutProgress: timeWithoutProgress)
    }
}

extension Ending {
    /// Creates the ending for a transfer without further retries. A status is the server's response; any other cause
    /// is a failure.
    fileprivate init(after cause: FailureCause) {
        if case .status(let status) = cause { self = .responded(status: status) } else { self = .failed(cause) }
    }
}

extension FailureCause {
    /// A Boolean value that indicates whether a missing network can be the cause.
    var isConnectionFailure: Bool {
        switch self {
        case .nameResolution, .connection, .timeout, .tooSlow, .handshake, .captivePortal: true
        case .malformedResponse, .status, .checksumMismatch, .executorLost, .folderUnavailable, .fileInUse,
            .certificate, .unsupportedURL, .redirect, .destination, .encodedBody, .tooLarge, .expired, .noProgress,
            .sourceChanged, .proxyAuthentication:
            false
        }
    }
}
