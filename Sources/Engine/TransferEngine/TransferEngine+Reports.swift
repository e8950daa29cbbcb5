// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

extension TransferEngine {
    /// Takes an executor's report; one of an earlier attempt is late and dropped.
    func handle(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard records[id]?.attempt == attempt, scheduler.holdsSlot(id) else { return }
        switch report {
        case .progressed(let bytes, let total):
            count(bytes, of: id)
            let unsaved = turn.changes.count
            await decide(.progressed(id, bytes: bytes, total: total))
            // Hardly ever: told only when it is saved.
            if turn.changes.count > unsaved { await settle() }
            tellProgress(of: id, bytes, total)
        case .checkpointed(let resume):
            records[id]?.resume = resume
            turn.progress.append(.checkpointed(id, resume))
        case .restarted:
            records[id]?.resume = nil
            records[id]?.countedBytes = 0
            await handle(.restarted(id), saving: [.checkpointed(id, nil)])
        case .answered(let delay):
            metrics.answered(after: delay)
        case .ended(let outcome):
            await handle(outcome, of: id)
        }
    }

    /// Tells progress, four times a second for each transfer at most, and the last before anything else happens to it.
    /// Executors report no more often by themselves, and once more when bytes stop coming or the attempt ends; a worker that
    /// a server has taken over may.
    private func tellProgress(of id: TransferID, _ bytes: Int64, _ total: Int64?) {
        let now = alarm.now()
        guard let record = records[id] else { return }
        let progress = TransferUpdate.Kind.progressed(bytes: bytes, total: total, rate: scheduler.rate(of: id))
        if let last = record.toldProgress, last.duration(to: now.instant) < Self.progressInterval {
            record.untoldProgress = progress
            return
        }
        record.toldProgress = now.instant
        record.untoldProgress = nil
        tell(id, progress, at: now)
    }

    /// A quarter of a second, less what reports of an executor that keeps to that may come too early.
    private static let progressInterval = Duration.milliseconds(225)

    /// Counts the bytes that are new since the last report of this attempt.
    private func count(_ bytes: Int64, of id: TransferID) {
        guard let counted = records[id]?.countedBytes, bytes > counted else { return }
        records[id]?.countedBytes = bytes
        metrics.received(bytes - counted)
    }

    private func handle(_ outcome: ExecutorOutcome, of id: TransferID) async {
        records[id]?.outcome = outcome
        switch outcome {
        case .finished:
            turn.ended.append(id)
            await decide(.finished(id))
            return
        case .stopped(let resume):
            records[id]?.resume = resume
            await handle(.stopped(id, bytes: resume?.bytes ?? 0), saving: [.checkpointed(id, resume)])
        case .storageLow(let needed, let available, let resume):
            records[id]?.resume = resume
            await handle(
                .ranOutOfSpace(id, needed: needed, available: available, bytes: resume?.bytes ?? 0),
                saving: [.checkpointed(id, resume)])
        case .challenged(let challenges, let resume):
            await challenged(id, challenges, resume)
        case .failed(let failure, let resume):
            records[id]?.resume = resume
            await handle(
                .failed(
                    id, failure.cause, retryAfter: failure.retryAfterSeconds.map { .seconds($0) },
                    bytes: resume?.bytes ?? 0),
                saving: [.checkpointed(id, resume)])
        }
        tellEndOfAttempt(id, at: alarm.now())
    }

    /// Saves what a report says while the engine winds down: nothing is started any more, and no failure is counted.
    func save(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard records[id]?.attempt == attempt, scheduler.holdsSlot(id) else { return }
        switch report {
        case .progressed, .answered: break  // Only what is durable matters now.
        case .checkpointed(let resume): await save(resume, of: id)
        case .restarted: await save(nil, of: id)
        case .ended(let outcome):
            records[id]?.outcome = outcome
            switch outcome {
            case .finished: await decide(.finished(id))
            case .stopped(let resume), .storageLow(_, _, let resume), .failed(_, let resume),
                .challenged(_, let resume):
                records[id]?.resume = resume
                // Through the scheduler, because a cancelled transfer ends with its attempt.
                await handle(.stopped(id, bytes: resume?.bytes ?? 0), saving: [.checkpointed(id, resume)])
                if let explanation = scheduler.explanation(of: id, at: alarm.now()) {
                    tell(id, .stopped(explanation, bytes: resume?.bytes ?? 0), at: alarm.now())
                }
            }
        }
    }

    private func save(_ resume: ResumePoint?, of id: TransferID) async {
        records[id]?.resume = resume
        await commit([.checkpointed(id, resume)])
    }
}
