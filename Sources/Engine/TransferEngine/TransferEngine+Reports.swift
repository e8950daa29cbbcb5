// SPDX-License-Identifier: Apache-2.0
import TransferPolicy
import TransferScheduling

extension TransferEngine {
    /// Takes an executor's report; one of an earlier attempt is late and dropped.
    func handle(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard records[id]?.attempt == attempt else { return }
        switch report {
        case .progressed(let bytes, let total):
            await handle(.progressed(id, bytes: bytes, total: total))
            tell(id, .progressed(bytes: bytes, total: total, rate: scheduler.rate(of: id)), at: alarm.now())
        case .checkpointed(let resume):
            records[id]?.resume = resume
            await commit([.checkpointed(id, resume)])
        case .restarted:
            records[id]?.resume = nil
            await handle(.restarted(id), saving: [.checkpointed(id, nil)])
        case .ended(let outcome):
            await handle(outcome, of: id)
        }
    }

    private func handle(_ outcome: ExecutorOutcome, of id: TransferID) async {
        records[id]?.outcome = outcome
        switch outcome {
        case .finished:
            await handle(.finished(id))
        case .stopped(let resume):
            records[id]?.resume = resume
            await handle(.stopped(id, bytes: resume?.offset ?? 0), saving: [.checkpointed(id, resume)])
            tellPaused(id, bytes: resume?.offset ?? 0)
        case .storageLow(let needed, let available, let resume):
            records[id]?.resume = resume
            await handle(
                .ranOutOfSpace(id, needed: needed, available: available, bytes: resume?.offset ?? 0),
                saving: [.checkpointed(id, resume)])
        case .failed(let failure, let resume):
            records[id]?.resume = resume
            await handle(
                .failed(
                    id, failure.cause, retryAfter: failure.retryAfterSeconds.map { .seconds($0) },
                    bytes: resume?.offset ?? 0),
                saving: [.checkpointed(id, resume)])
        }
    }

    /// Tells of a pause once the bytes are safe, unless it has gone on or come to its end meanwhile.
    private func tellPaused(_ id: TransferID, bytes: Int64) {
        let now = alarm.now()
        guard !scheduler.holdsSlot(id), let explanation = scheduler.explanation(of: id, at: now) else { return }
        tell(id, .paused(explanation, bytes: bytes), at: now)
    }

    /// Saves what a report says while the engine winds down: nothing is decided any more.
    func save(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard records[id]?.attempt == attempt else { return }
        switch report {
        case .progressed: break  // Only what is durable matters now.
        case .checkpointed(let resume): await save(resume, of: id)
        case .restarted: await save(nil, of: id)
        case .ended(let outcome):
            records[id]?.outcome = outcome
            switch outcome {
            case .finished: await handle(.finished(id))
            case .stopped(let resume), .storageLow(_, _, let resume), .failed(_, let resume):
                await save(resume, of: id)
                if let explanation = scheduler.explanation(of: id, at: alarm.now()) {
                    tell(id, .paused(explanation, bytes: resume?.offset ?? 0), at: alarm.now())
                }
            }
        }
    }

    private func save(_ resume: ResumePoint?, of id: TransferID) async {
        records[id]?.resume = resume
        await commit([.checkpointed(id, resume)])
    }
}
