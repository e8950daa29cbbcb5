// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// Handles the reports of executors about attempts.
struct AttemptReports {
    let driver: SchedulerDriver
    var records: TransferRecords { driver.records }

    /// Handles a report of an executor. A late report of an earlier attempt is dropped.
    nonisolated(nonsending) func receive(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard let record = records[id], record.attempt == attempt, driver.scheduler.occupiesSlot(id) else { return }
        switch report {
        case .progressed(let bytes, let total):
            count(bytes, of: record)
            let unsaved = driver.unsavedChanges
            await driver.decide(.progressed(id, bytes: bytes, total: total))
            // A saved change is rare here. Report the progress only after the change is saved.
            if driver.unsavedChanges > unsaved { await driver.saveAndPerform() }
            guard records[id] != nil else { return }
            let progress = TransferUpdate.Kind.progressed(
                bytes: bytes, total: total, rate: driver.scheduler.rate(of: id))
            driver.updates.reportProgress(of: id, progress, at: driver.alarm.now())
        case .checkpointed(let resume):
            record.resume = resume
            driver.recordProgress(of: id, resume)
        case .restarted(let cause):
            record.resume = nil
            record.countedBytes = 0
            await driver.handle(.restarted(id), saving: [.checkpointed(id, nil)])
            driver.updates.report(id, .restarted(cause), at: driver.alarm.now())
        case .responded(let delay):
            driver.metrics.responded(after: delay)
        case .ended(let outcome):
            await receive(outcome, of: id, record)
        }
    }

    /// Counts the bytes that are new since the last report of this attempt.
    private func count(_ bytes: Int64, of record: TransferRecord) {
        guard bytes > record.countedBytes else { return }
        driver.metrics.received(bytes - record.countedBytes)
        record.countedBytes = bytes
    }

    private nonisolated(nonsending) func receive(
        _ outcome: ExecutorOutcome, of id: TransferID, _ record: TransferRecord
    ) async {
        record.outcome = outcome
        switch outcome {
        case .finished(let completion):
            if await continueElsewhere(id, record, after: completion) { return }
            driver.recordEndOfAttempt(id)
            await driver.decide(.finished(id))
            return
        case .challenged(let challenges, let resume):
            await receiveChallenge(challenges, resume, of: id, record)
        case .stopped(let resume):
            await end(.stopped(id, bytes: resume?.bytes ?? 0), resume, of: id, record)
        case .storageLow(let needed, let available, let resume):
            let event = Event.ranOutOfSpace(id, needed: needed, available: available, bytes: resume?.bytes ?? 0)
            await end(event, resume, of: id, record)
        case .failed(let failure, let resume):
            if let event = Event(waitRequestedBy: failure, during: record.specification) { await driver.decide(event) }
            if await continueElsewhere(id, record, after: failure, resume) { return }
            let cause = causeOfRound(record, failure.cause)
            let retryAfter = failure.retryAfterSeconds.map { Duration.seconds($0) }
            let event = Event.failed(id, cause, retryAfter: retryAfter, bytes: resume?.bytes ?? 0)
            await end(event, resume, of: id, record)
        }
        driver.reportEndOfAttempt(id, at: driver.alarm.now())
    }

    /// Passes the end of an attempt to the scheduler and saves the resume point.
    nonisolated(nonsending) func end(
        _ event: Event, _ resume: ResumePoint?, of id: TransferID, _ record: TransferRecord
    ) async {
        record.resume = resume
        var changes: [StoreChange] = [.checkpointed(id, resume)]
        if case .failed = event, var first = record.specification, let mirrors = first.mirrors, mirrors.number > 0,
            mirrors.next == nil
        {
            // After the last URL, the retry begins with the first.
            first.mirrors?.number = 0
            (record.specification, record.temporaryCause) = (first, nil)
            changes.insert(.respecified(id, first), at: 0)
        }
        await driver.handle(event, saving: changes)
    }

    /// Ends an attempt that could not start because its specification cannot be read. The stored row is kept.
    nonisolated(nonsending) func failUnreadable(_ id: TransferID, attempt: Int) async {
        guard let record = records[id], record.attempt == attempt, driver.scheduler.occupiesSlot(id) else { return }
        let failure = TransferFailure(
            cause: .executorLost, message: "the transfer cannot be read from the queue; see the error of the store")
        record.outcome = .failed(failure, resume: record.resume)
        await driver.handle(.failed(id, failure.cause, retryAfter: nil, bytes: record.resume?.bytes ?? 0))
        driver.reportEndOfAttempt(id, at: driver.alarm.now())
    }

    /// Saves the contents of a report during the engine's shutdown. No attempt starts, and no failure is counted.
    nonisolated(nonsending) func save(_ report: ExecutorReport, of id: TransferID, attempt: Int) async {
        guard let record = records[id], record.attempt == attempt, driver.scheduler.occupiesSlot(id) else { return }
        switch report {
        case .progressed, .responded: break  // Only durable bytes matter during the shutdown.
        case .checkpointed(let resume): await save(resume, of: id, record)
        case .restarted: await save(nil, of: id, record)
        case .ended(let outcome):
            record.outcome = outcome
            switch outcome {
            case .finished: await driver.decide(.finished(id))
            case .stopped(let resume), .storageLow(_, _, let resume), .failed(_, let resume),
                .challenged(_, let resume):
                // Go through the scheduler, because a canceled transfer ends with its attempt.
                await end(.stopped(id, bytes: resume?.bytes ?? 0), resume, of: id, record)
                let now = driver.alarm.now()
                if let explanation = driver.scheduler.explanation(of: id, at: now) {
                    driver.updates.report(id, .stopped(explanation, bytes: resume?.bytes ?? 0), at: now)
                }
            }
        }
    }

    private nonisolated(nonsending) func save(
        _ resume: ResumePoint?, of id: TransferID, _ record: TransferRecord
    ) async {
        record.resume = resume
        await driver.writer.commit([.checkpointed(id, resume)])
    }
}

extension Event {
    /// Creates the event for a server that is overloaded or limits requests, and says for how long. Returns `nil` for any
    /// other failure.
    fileprivate init?(waitRequestedBy failure: TransferFailure, during specification: TransferSpecification?) {
        guard failure.cause == .status(429) || failure.cause == .status(503), let server = failure.retryAfterServer,
            let seconds = failure.retryAfterSeconds
        else { return nil }
        // An app may count the slots of the transfer's own server under another name.
        let isOwn = specification.flatMap { TransferSpecification.Server($0.url) }?.origin == server
        let name = isOwn ? specification?.traits.host ?? server : server
        self = .serverRequestedWait(server: name, .seconds(seconds))
    }
}
