// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

extension TransferEngine {
    /// What of an effect has to be in the store before it is performed.
    func storeChange(for effect: Effect) -> StoreChange? {
        switch effect {
        case .end(let id, let ending):
            transferEnding(of: id, ending).map { .ended(id, $0) }
        case .saveRetry(let id, let retry):
            .retried(id, retry)
        case .savePaused(let id, let isPaused):
            .suspended(id, isPaused)
        case .saveRelaunchHold(let id, let hold):
            .relaunchHeld(id, hold)
        case .start, .stop, .discard, .measureSpace, .explain, .wake, .saveLearned:
            // Repeated from the state at the next start, or saved once for all effects of an event.
            nil
        }
    }

    /// Performs an effect. Never waits: what takes time ends with a message to the inbox.
    func perform(_ effect: Effect, at now: Moment) {
        switch effect {
        case .start(let id): start(id, at: now)
        case .stop(let id): executor.stop(id)
        case .discard(let id): discard(id)
        case .end(let id, let ending): end(id, ending, at: now)
        case .measureSpace(let id): measureSpace(for: id)
        case .explain(let id): explain(id, at: now)
        case .wake(let instant): alarm.set(instant)
        case .savePaused(let id, let isPaused): tell(id, isPaused ? .paused : .resumed, at: now)
        case .saveRetry, .saveRelaunchHold, .saveLearned: break  // Saved already, nothing else to do.
        }
    }

    private func start(_ id: TransferID, at now: Moment) {
        // Winding down: it is still in the store, and the next run begins it.
        guard state != .winding, let record = records[id] else { return }
        let attempt = record.attempt
        guard let specification = record.specification else {
            inbox.put(.unreadable(id, attempt: attempt))
            return
        }
        record.outcome = nil
        record.challenges = []
        (record.toldReasons, record.toldProgress, record.untoldProgress) = (nil, nil, nil)
        record.countedBytes = record.resume?.offset ?? 0
        metrics.started()
        let job = TransferJob(id: id, specification: specification, resume: record.resume)
        executor.start(job) { [inbox] report in
            inbox.put(.report(id, attempt: attempt, report))
        }
        // Reports come through the inbox, so nothing of the attempt is told before this.
        tell(id, .started(attempt: attempt), at: now)
    }

    private func end(_ id: TransferID, _ ending: Ending, at now: Moment) {
        guard let final = transferEnding(of: id, ending) else { return }
        tellUntoldProgress(of: id, at: now)
        // Nobody wants the bytes of a cancelled transfer or of a wrong file any more. Those of a failed one are kept. Of a
        // finished download something is left that tells the next run where the file is, until its end has been saved.
        let isWanted: Bool
        if case .finished = ending {
            isWanted = records[id]?.specification?.upload != nil || !isSaved(id)
        } else {
            isWanted = false
        }
        if !isWanted, final.kept == nil { discard(id) }
        records[id] = nil
        metrics.ended(final)
        switch final {
        case .completed(let completion, _): tell(id, .finished(completion), at: now)
        case .failed(let failure, _): tell(id, .failed(failure), at: now)
        case .cancelled: tell(id, .cancelled, at: now)
        }
        answerAwaitedEnds(of: id)
    }

    /// Has removed what a transfer left.
    private func discard(_ id: TransferID) {
        guard let record = records[id], let specification = record.specification else { return }
        discard(id, specification, record.resume)
    }

    /// Has removed what a transfer left.
    func discard(_ id: TransferID, _ specification: TransferSpecification, _ resume: ResumePoint?) {
        guard resume != nil else { return }
        executor.discard(TransferJob(id: id, specification: specification, resume: resume))
    }

    /// Whether the end of that transfer is in the store: a store in trouble may still lack it.
    private func isSaved(_ id: TransferID) -> Bool {
        !unsaved.contains { if case .ended(id, _) = $0 { true } else { false } }
    }

    private func measureSpace(for id: TransferID) {
        guard let specification = records[id]?.specification else { return }
        measurementContinuation.yield((id, specification))
    }

    func explain(_ id: TransferID, at now: Moment) {
        // While a stop is on its way, and for an attempt that has just ended, the end of the attempt tells it.
        guard !scheduler.holdsSlot(id), let record = records[id], record.isWatched, record.outcome == nil,
            let explanation = scheduler.explanation(of: id, at: now)
        else { return }
        records[id]?.toldReasons = explanation.codes
        tell(id, .waiting(explanation), at: now)
    }

    /// Tells how an attempt ended, once, unless the transfer has gone on or come to its end meanwhile.
    func tellEndOfAttempt(_ id: TransferID, at now: Moment) {
        guard !scheduler.holdsSlot(id), let record = records[id], let outcome = record.outcome,
            let explanation = scheduler.explanation(of: id, at: now)
        else { return }
        records[id]?.outcome = nil
        records[id]?.toldReasons = explanation.codes
        let bytes = record.resume?.offset ?? 0
        if case .failed(let failure, _) = outcome, explanation.holds.contains(where: \.isBackoff) {
            metrics.retries(after: failure.cause)
            tell(id, .retrying(explanation, failure, bytes: bytes), at: now)
        } else {
            tell(id, .stopped(explanation, bytes: bytes), at: now)
        }
        // It waits again, perhaps for days.
        if records.count > Self.mostSpecifications { record.specification = nil }
    }

    private func tellUntoldProgress(of id: TransferID, at now: Moment) {
        guard let record = records[id], let progress = record.untoldProgress else { return }
        record.untoldProgress = nil
        tell(id, progress, at: now)
    }

    func tell(_ id: TransferID, _ kind: TransferUpdate.Kind, at now: Moment) {
        tellUntoldProgress(of: id, at: now)
        let status = registry?.apply(kind, to: id)
        updateContinuation.yield(.transfer(TransferUpdate(id: id, time: now, kind: kind, status: status)))
    }

    /// The scheduler's word on the end, with what the executor reported.
    private func transferEnding(of id: TransferID, _ ending: Ending) -> TransferEnding? {
        guard let record = records[id] else { return nil }
        switch (ending, record.outcome) {
        case (.cancelled, _):
            return .cancelled
        case (.finished, .finished(let completion)):
            // An upload that was answered is over, on the server's side too.
            let keepsBytes = completion.file == nil && record.specification?.upload == nil
            return .completed(completion, keeping: keepsBytes ? record.resume : nil)
        case (.answered(let status), _):
            return .completed(TransferCompletion(status: status, file: nil), keeping: record.resume)
        case (.failed(let cause), .failed(let failure, _)) where failure.cause == cause:
            return .failed(failure, keeping: cause.spoilsBytes ? nil : record.resume)
        case (.failed(let cause), .failed(let failure, _)):
            // The scheduler gives up for a reason of its own; what the attempt ran into last tells why it came to that.
            let message = "\(cause.phrase); the last attempt failed: \(failure.message)"
            return .failed(
                TransferFailure(cause: cause, message: message), keeping: cause.spoilsBytes ? nil : record.resume)
        case (.failed(let cause), _):
            return .failed(
                TransferFailure(cause: cause, message: cause.phrase),
                keeping: cause.spoilsBytes ? nil : record.resume)
        case (.finished, _):
            // The scheduler says finished only after the executor did.
            return nil
        }
    }
}

extension FailureCause {
    /// Whether nobody wants the bytes that came: they are no part of what was asked for, or come too late.
    fileprivate var spoilsBytes: Bool { self == .checksumMismatch || self == .tooLarge || self == .expired }
}

extension Hold {
    /// Whether it is the wait after a failure.
    fileprivate var isBackoff: Bool { if case .backoff = reason { true } else { false } }
}
