// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
internal import TransferPolicy
internal import TransferQueue

// The reports of executors about attempts: progress, and failures with their consequences.

extension SchedulerCore where Queue: ~Copyable {
    mutating func progress(
        _ id: TransferID, bytes: Int64, total: Int64?, at now: ClockReading, into effects: inout [Effect]
    ) -> Bool {
        guard let index = transfers.active.number(of: id),
            case .running(let attempt) = transfers.active[index].entry.phase
        else {
            return false
        }
        // Changed in place, because copies of the entry would cost more than the rest.
        let before = transfers.active[index].entry.bytesMissing
        let gained = bytes - transfers.active[index].entry.bytes
        let isLoopback = transfers.active[index].entry.traits.isLoopback
        let usualRate = evaluator.typicalRate
        // The first report of an attempt that continues has the bytes that were present before, also those of a process
        // that was killed before it reported them.
        let isContinued = attempt.bytesAtStart > 0 && attempt.lastReport == attempt.since.instant
        if !isContinued, let sample = RateSample(of: gained, in: attempt.lastReport.duration(to: now.instant)) {
            transfers.active[index].entry.rate = sample.smoothing(transfers.active[index].entry.rate)
            if !isLoopback {
                evaluator.typicalRate = sample.smoothing(usualRate)
                throughput.record(
                    gained, since: attempt.lastReport, at: now, on: evaluator.context.conditions.throughputKey,
                    in: &evaluator.context.history.throughput)
            }
        }
        // A policy that evaluates each transfer may consider spent bytes.
        let isCharged =
            gained > 0 && !isLoopback && configuration.unknownMetered.isMetered(evaluator.conditions) != nil
            && (evaluator.context.charge(meteredBytes: gained, app: transfers.active[index].entry.traits.app)
                || !evaluator.hasTable)
        // Before the next re-evaluation, only a new size or an exhausted budget changes a policy's verdict.
        let hasNewTotal =
            total != nil && transfers.active[index].entry.total == nil
            && transfers.active[index].entry.traits.kind == .discretionary
        if transfers.active[index].entry.advance(attempt, to: bytes, of: total, at: now) {
            effects.append(.saveRetry(id, nil))
        }
        transfers.backlog.update(from: before, to: transfers.active[index].entry)
        checkProgress(of: id, transfers.active[index].entry, at: now, into: &effects)
        if isCharged { transfers.changes.budgets = true } else if hasNewTotal { transfers.changes.running = true }
        // A new rate also matters if a window was too short for a transfer. A policy that evaluates each transfer does
        // so at the next event.
        return isCharged || hasNewTotal || isPlanOutdated
            || (usualRate != evaluator.typicalRate && evaluator.hasTable && transfers.queue.hasBlockedBySize)
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
    /// Records the progress of a running attempt; returns whether the transfer had failed before.
    fileprivate mutating func advance(
        _ attempt: TransferPhase.Attempt, to bytes: Int64, of total: Int64?, at now: ClockReading
    ) -> Bool {
        var attempt = attempt
        attempt.lastReport = now.instant
        if bytes > mostBytes {
            attempt.lastNewByte = now.instant
            timeWithoutProgress = .zero
        }
        let hadFailed = forgetFailures(in: attempt, after: bytes)
        phase = .running(attempt)
        self.bytes = bytes
        self.total = total ?? self.total
        mostBytes = max(mostBytes, bytes)
        return hadFailed
    }

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
