// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

extension SchedulerDriver {
    /// Returns the change that must be in the store before an effect is performed.
    func storeChange(for effect: Effect) -> StoreChange? {
        switch effect {
        case .end(let id, let ending):
            records[id]?.ending(ending).map { .ended(id, $0) }
        case .saveRetry(let id, let retry):
            .retried(id, retry)
        case .savePaused(let id, let isPaused):
            .suspended(id, isPaused)
        case .saveRelaunchDelay(let id, let hold):
            .relaunchDelayed(id, hold)
        case .start, .stop, .discard, .measureSpace, .explain, .reportDeadline, .wake, .saveStatistics:
            // These effects follow from the state at the next start, or are saved once for all effects of an event.
            nil
        }
    }

    /// Performs an effect without waiting. A slow operation ends with a message in the inbox.
    func perform(_ effect: Effect, at now: ClockReading) {
        switch effect {
        case .start(let id): start(id, at: now)
        case .stop(let id): attempts.stop(id)
        case .discard(let id): attempts.discard(id, records[id]?.specification, records[id]?.resume)
        case .end(let id, let ending): end(id, ending, at: now)
        case .measureSpace(let id):
            if let specification = records[id]?.specification { attempts.measureSpace(for: id, specification) }
        case .explain(let id): explain(id, at: now)
        case .reportDeadline(let id, let state):
            updates.report(id, .deadline(state, scheduler.explanation(of: id, at: now)?.deadline), at: now)
        case .wake(let instant): alarm.set(instant)
        case .savePaused(let id, let isPaused): updates.report(id, isPaused ? .paused : .resumed, at: now)
        case .saveRetry, .saveRelaunchDelay, .saveStatistics: break  // Saved already.
        }
    }

    private func start(_ id: TransferID, at now: ClockReading) {
        // During the shutdown, the transfer stays in the store, and the next run starts it.
        guard !isShuttingDown, let record = records[id] else { return }
        let attempt = record.attempt
        guard let specification = record.specification else {
            attempts.reportUnreadable(id, attempt: attempt)
            return
        }
        record.outcome = nil
        record.challenges = []
        record.reportedReasons = nil
        record.countedBytes = record.resume?.offset ?? 0
        record.bytesAtStart = record.countedBytes
        metrics.started()
        let current = specification.mirrors?.attempt(of: specification) ?? specification
        attempts.start(TransferJob(id: id, specification: current, resume: record.resume), attempt: attempt)
        // Reports come through the inbox, so no report of the attempt precedes this update.
        updates.report(id, .started(attempt: attempt), at: now)
    }

    private func end(_ id: TransferID, _ ending: Ending, at now: ClockReading) {
        guard let record = records[id], let final = record.ending(ending) else { return }
        // The bytes of a canceled transfer or of a wrong file are removed. The bytes of a failed transfer are kept. A
        // finished download keeps the record of its file until its end is saved, so that the next run can find the
        // file.
        let isWanted: Bool
        if case .finished = ending {
            isWanted = record.specification?.upload != nil || !writer.hasSavedEnd(of: id)
        } else {
            isWanted = false
        }
        if !isWanted, final.kept == nil { attempts.discard(id, record.specification, record.resume) }
        records.remove(id)
        metrics.ended(final)
        switch final {
        case .completed(let completion, _): updates.report(id, .finished(completion), at: now)
        case .failed(let failure, _): updates.report(id, .failed(failure), at: now)
        case .cancelled: updates.report(id, .cancelled, at: now)
        }
        replies.ended(id)
    }

    /// Reports why a watched transfer waits.
    func explain(_ id: TransferID, at now: ClockReading) {
        // During a stop, and right after an attempt, the end of the attempt reports the reasons.
        guard !scheduler.occupiesSlot(id), let record = records[id], record.isWatched, record.outcome == nil,
            let explanation = scheduler.explanation(of: id, at: now)
        else { return }
        record.reportedReasons = explanation.codes
        updates.report(id, .waiting(explanation), at: now)
    }

    /// Reports once how an attempt ended, unless the transfer has continued or ended in the meantime.
    func reportEndOfAttempt(_ id: TransferID, at now: ClockReading) {
        guard !scheduler.occupiesSlot(id), let record = records[id], let outcome = record.outcome,
            let explanation = scheduler.explanation(of: id, at: now)
        else { return }
        record.outcome = nil
        record.reportedReasons = explanation.codes
        let bytes = record.resume?.offset ?? 0
        if case .failed(let failure, _) = outcome, explanation.reasons.contains(where: \.isBackoff) {
            metrics.retries(after: failure.cause)
            updates.report(id, .retrying(explanation, failure, bytes: bytes), at: now)
        } else {
            updates.report(id, .stopped(explanation, bytes: bytes), at: now)
        }
        records.dropSpecification(of: id)
    }
}

extension WaitReason {
    /// A Boolean value that indicates whether the reason is the wait after a failure.
    fileprivate var isBackoff: Bool { if case .backoff = reason { true } else { false } }
}
