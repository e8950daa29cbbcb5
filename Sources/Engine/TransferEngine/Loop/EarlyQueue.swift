// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// The requests for a transfer before the first snapshot of the conditions, when the scheduler has no queue yet.
private struct EarlyTransfer {
    /// The traits of a transfer that was submitted in this run and that the scheduler does not know. Otherwise `nil`.
    var newTraits: TransferTraits?
    var isWatched = false
    /// The action that the app must perform first.
    var need: AppNeed?
    /// The requested changes, even if the store could not save them.
    var isSuspended: Bool?
    var hold: TransferHold??
    var retry: RetryState?
    var isEnded = false

    init(new traits: TransferTraits? = nil, isWatched: Bool = false) {
        newTraits = traits
        self.isWatched = isWatched
    }

    /// Returns the state with the requested changes.
    func changing(_ state: RecoveredState) -> RecoveredState {
        var state = state
        state.isPaused = isSuspended ?? state.isPaused
        if let hold { state.held = hold.map { RecoveredBlock(by: $0.holder, why: $0.why) } }
        state.retry = retry ?? state.retry
        state.need = need
        return state
    }
}

/// The queue before the first snapshot of the conditions. The queue stays in the store, because a start that is
/// decided on unknown conditions would be wrong.
///
/// Commands are carried out on the stored transfers. Their changes reach the scheduler together with the queue.
final class EarlyQueue {
    private let store: any TransferStore
    private let writer: StoreWriter
    private let updates: UpdateSink
    private let attempts: Attempts
    private let alarm: any Alarm
    private var requested: [TransferID: EarlyTransfer] = [:]
    /// The stored values of the requested transfers while the queue is passed to the scheduler.
    private var entering: [TransferID: RecoveredTransfer] = [:]

    /// Creates the queue of `store`, without any requests.
    init(store: any TransferStore, driver: SchedulerDriver) {
        self.store = store
        (writer, updates, attempts, alarm) = (driver.writer, driver.updates, driver.attempts, driver.alarm)
    }

    /// Adds a transfer that was submitted in this run.
    func add(_ id: TransferID, _ traits: TransferTraits, isWatched: Bool) {
        requested[id] = EarlyTransfer(new: traits, isWatched: isWatched)
    }

    /// Replaces the traits of a new transfer. The new traits are stored already.
    func change(_ id: TransferID, _ traits: TransferTraits) {
        if requested[id]?.newTraits != nil { requested[id]?.newTraits = traits }
    }

    /// Returns whether a transfer ended before the first snapshot.
    func isEnded(_ id: TransferID) -> Bool { requested[id]?.isEnded == true }

    /// Carries out an action on a transfer.
    nonisolated(nonsending) func carryOut(_ action: TransferAction, on id: TransferID) async -> ActionOutcome {
        guard let transfer = await stored(id) else { return .notFound }
        switch action {
        case .cancel: return await cancel(transfer)
        case .pause: return await setSuspended(transfer, true)
        case .resume: return await setSuspended(transfer, false)
        case .hold(let holder, let why): return await setHold(transfer, TransferHold(by: holder, why: why))
        case .release: return await setHold(transfer, nil)
        }
    }

    /// Handles a report of the caller.
    ///
    /// - Returns: `false` if the report concerns no transfer. The scheduler handles such a report under all
    ///   conditions.
    func receive(_ event: Event) -> Bool {
        switch event {
        case .watched(let id): requested[id, default: EarlyTransfer()].isWatched = true
        case .unwatched(let id): requested[id, default: EarlyTransfer()].isWatched = false
        case .appNeeded(let id, let need): requested[id, default: EarlyTransfer()].need = need
        case .appResponded(let id): requested[id, default: EarlyTransfer()].need = nil
        case .appRelaunched, .appCameToFront, .relaunchAbandoned, .budgetsChanged: return false
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .held, .released, .conditionsChanged,
            .progressed, .restarted, .stopped, .finished, .failed, .serverRequestedWait, .ranOutOfSpace,
            .spaceMeasured, .woken:
            // These events are never reported by callers.
            break
        }
        return true
    }

    /// Returns a stored transfer with the requested changes, or `nil` if no unfinished transfer has this ID.
    nonisolated(nonsending) func stored(_ id: TransferID) async -> StoredTransfer? {
        guard !isEnded(id) else { return nil }
        let requested = requested[id]
        do {
            guard var stored = try await store.transfers([id]).first, stored.ending == nil else { return nil }
            stored.isSuspended = requested?.isSuspended ?? stored.isSuspended
            stored.hold = requested?.hold ?? stored.hold
            stored.retry = requested?.retry ?? stored.retry
            return stored
        } catch {
            updates.continuation.yield(.storeError(TransferStoreError(error)))
            return nil
        }
    }

    private nonisolated(nonsending) func cancel(_ transfer: StoredTransfer) async -> ActionOutcome {
        requested[transfer.id, default: EarlyTransfer()].isEnded = true
        await writer.commit([.ended(transfer.id, .cancelled)])
        attempts.discard(transfer.id, transfer.specification, transfer.resume)
        updates.report(transfer.id, .cancelled, at: alarm.now())
        return .done
    }

    private nonisolated(nonsending) func setSuspended(
        _ transfer: StoredTransfer, _ isSuspended: Bool
    ) async -> ActionOutcome {
        if transfer.isSuspended != isSuspended {
            requested[transfer.id, default: EarlyTransfer()].isSuspended = isSuspended
            await writer.commit([.suspended(transfer.id, isSuspended)])
            updates.report(transfer.id, isSuspended ? .paused : .resumed, at: alarm.now())
            return .done
        }
        guard !isSuspended, var retry = transfer.retry else { return .unchanged }
        retry.until = alarm.now().wall
        requested[transfer.id, default: EarlyTransfer()].retry = retry
        await writer.commit([.retried(transfer.id, retry)])
        return .done
    }

    private nonisolated(nonsending) func setHold(
        _ transfer: StoredTransfer, _ hold: TransferHold?
    ) async -> ActionOutcome {
        guard transfer.hold != hold else { return .unchanged }
        requested[transfer.id, default: EarlyTransfer()].hold = .some(hold)
        await writer.commit([.held(transfer.id, hold)])
        return .done
    }

    // MARK: Transfer to the scheduler

    /// Removes the transfers with requests from a stored batch.
    ///
    /// - Returns: The remaining transfers, which the scheduler can receive unchanged.
    func sift(_ batch: consuming RecoveredTransfers) -> RecoveredTransfers {
        var batch = batch
        if !requested.isEmpty {
            for transfer in batch.remove(where: { requested[$0] != nil }) { entering[transfer.id] = transfer }
        }
        return batch
    }

    /// Returns the transfers with requests after the whole store was read, and removes them from this queue.
    ///
    /// - Returns: The changed stored transfers, the submissions of new transfers, and the IDs of watched transfers.
    func removeRequested() -> (changed: [RecoveredTransfer], new: [Event], watched: [TransferID]) {
        defer { (requested, entering) = ([:], [:]) }
        var changed: [RecoveredTransfer] = []
        var new: [Event] = []
        for (id, requested) in requested.sorted(by: { $0.key < $1.key }) where !requested.isEnded {
            // A store with a scope of keys does not return the transfers that were submitted in this run.
            guard let transfer = entering[id] ?? requested.newTraits.map({ RecoveredTransfer(id: id, traits: $0) })
            else {
                continue
            }
            let state = requested.changing(transfer.state)
            let isHeldBack = state.isPaused || state.held != nil || state.need != nil
            if requested.newTraits != nil, transfer.traits.isFromBackground == true, !isHeldBack {
                // Submit the transfer as new, so that the relaunch limiter is applied.
                new.append(.submitted(id, transfer.traits))
            } else {
                changed.append(RecoveredTransfer(id: id, traits: transfer.traits, state: state))
            }
        }
        return (changed, new, requested.filter { $1.isWatched && !$1.isEnded }.keys.sorted())
    }
}
