// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferScheduling

/// What the engine knows of a transfer that is not over, beside what the scheduler knows.
///
/// An object, the engine's own: thousands of them in a dictionary would take their size again for its empty places.
final class TransferRecord {
    /// What to do; nil where only the store has it.
    var specification: TransferSpecification?
    /// What there is to continue from; means nothing before it was read from the store.
    var resume: ResumePoint?
    /// Whether `resume` is what counts: it was read, or is this run's.
    var isRead: Bool
    /// Counts the attempts of this run, from when they are decided: reports of an earlier one are late and dropped.
    var attempt = 0
    /// Bytes that have been counted, from the start of the partial file.
    var countedBytes: Int64 = 0
    /// When progress was told last; nil before the first of an attempt.
    var toldProgress: Instant?
    /// The latest progress, where it came too soon after the last to be told.
    var untoldProgress: TransferUpdate.Kind?
    /// Whether somebody wants to be told why it waits.
    var isWatched = false
    /// The codes of the reasons told last; nil once it has gone on since.
    var toldReasons: [String]?
    /// What the server wants first, where the app is to answer; empty where nobody waits for it.
    var challenges: [AuthenticationChallenge] = []
    /// What the attempt that ended last reported, for the effects that follow from it; nil once it has been told.
    var outcome: ExecutorOutcome?

    /// One that is new, with its specification, or about which nothing was read yet.
    init(specification: TransferSpecification? = nil) {
        self.specification = specification
        isRead = specification != nil
    }
}

/// A queue of a million is not held as a million specifications: each is read when it is needed.
extension TransferEngine {
    /// So many are kept at hand without being needed at once.
    static var mostSpecifications: Int { 1000 }

    /// The record of a transfer that is not over, made where there is none.
    func record(of id: TransferID) -> TransferRecord {
        if let record = records[id] { return record }
        let record = TransferRecord()
        records[id] = record
        return record
    }

    /// Sees to it that the specifications of these are at hand, as far as they can be read.
    func load(_ ids: [TransferID]) async {
        // The scheduler may have forgotten those that it ends.
        let missing = ids.filter { records[$0]?.specification == nil }
        guard !missing.isEmpty else { return }
        do {
            for stored in try await store.transfers(missing) where stored.ending == nil {
                let record = record(of: stored.id)
                record.specification = stored.specification
                guard !record.isRead else { continue }
                record.isRead = true
                record.resume = stored.resume
            }
        } catch {
            let trouble = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
            updateContinuation.yield(.storeTrouble(trouble))
        }
    }

    /// What a transfer that is not over is to do.
    ///
    /// - Throws: `TransferStoreError` where there is none of that number, or it cannot be read.
    func specification(of id: TransferID) async throws -> TransferSpecification {
        if let specification = records[id]?.specification { return specification }
        let isKnown = early.map { $0[id]?.isOver != true } ?? scheduler.contains(id)
        guard isKnown, let stored = try await store.transfers([id]).first, stored.ending == nil else {
            throw TransferStoreError(
                code: .noSuchTransfer,
                message: "Transfer \(id) does not exist or has ended, so nothing of it can be changed.")
        }
        return stored.specification
    }

    /// Ends an attempt that could not begin because its specification cannot be read; what is stored of it stays.
    func giveUp(_ id: TransferID, attempt: Int) async {
        guard let record = records[id], record.attempt == attempt, scheduler.holdsSlot(id) else { return }
        let failure = TransferFailure(
            cause: .executorLost, message: "what is to be done cannot be read from the queue; see the queue's trouble")
        record.outcome = .failed(failure, resume: record.resume)
        await handle(.failed(id, failure.cause, retryAfter: nil, bytes: record.resume?.bytes ?? 0))
        tellEndOfAttempt(id, at: alarm.now())
    }
}
