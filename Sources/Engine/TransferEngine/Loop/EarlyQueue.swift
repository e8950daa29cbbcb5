// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// What was asked for of a transfer before the first look at the machine: the scheduler does not have it yet.
private struct EarlyTransfer {
    /// The traits of one that was handed over in this run: then the scheduler has never heard of it. Else nil.
    var newTraits: TransferTraits?
    var isWatched = false
    /// What its app has to do first.
    var need: AppNeed?
    /// What was changed, whether the store took it or not.
    var isSuspended: Bool?
    var hold: TransferHold??
    var retry: RetryState?
    var isOver = false

    init(new traits: TransferTraits? = nil, isWatched: Bool = false) {
        newTraits = traits
        self.isWatched = isWatched
    }

    /// The state with what was changed.
    func changing(_ state: RecoveredState) -> RecoveredState {
        var state = state
        state.isPaused = isSuspended ?? state.isPaused
        if let hold { state.held = hold.map { RecoveredHold(by: $0.holder, why: $0.why) } }
        state.retry = retry ?? state.retry
        state.need = need
        return state
    }
}

/// The queue before the first look at the machine: it stays in the store, since a start decided on "unknown" would be wrong.
///
/// Commands are carried out on what is stored. What they changed goes to the scheduler with the queue.
final class EarlyQueue {
    private let store: any TransferStore
    private let writer: StoreWriter
    private let updates: UpdateSink
    private let attempts: Attempts
    private let alarm: any Alarm
    private var asked: [TransferID: EarlyTransfer] = [:]
    /// What the store has of these, while the queue is handed to the scheduler.
    private var entering: [TransferID: RecoveredTransfer] = [:]

    /// The queue in `store`, of which nothing was asked for yet.
    init(store: any TransferStore, driver: SchedulerDriver) {
        self.store = store
        (writer, updates, attempts, alarm) = (driver.writer, driver.updates, driver.attempts, driver.alarm)
    }

    /// Adds a transfer that was submitted in this run.
    func add(_ id: TransferID, _ traits: TransferTraits, isWatched: Bool) {
        asked[id] = EarlyTransfer(new: traits, isWatched: isWatched)
    }

    /// Takes other traits of a transfer, which are stored.
    func change(_ id: TransferID, _ traits: TransferTraits) {
        if asked[id]?.newTraits != nil { asked[id]?.newTraits = traits }
    }

    /// Whether a transfer ended here.
    func isOver(_ id: TransferID) -> Bool { asked[id]?.isOver == true }

    /// Carries out a command on a transfer.
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

    /// Takes a fact that was reported.
    ///
    /// - Returns: false if it is about no transfer: the scheduler counts it whatever the machine is like.
    func take(_ fact: Event) -> Bool {
        switch fact {
        case .watched(let id): asked[id, default: EarlyTransfer()].isWatched = true
        case .unwatched(let id): asked[id, default: EarlyTransfer()].isWatched = false
        case .appNeeded(let id, let need): asked[id, default: EarlyTransfer()].need = need
        case .appAnswered(let id): asked[id, default: EarlyTransfer()].need = nil
        case .appUsed, .appRelaunched, .appCameToFront, .relaunchAbandoned, .budgetsChanged: return false
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .held, .released, .conditionsChanged,
            .progressed, .restarted, .stopped, .finished, .failed, .ranOutOfSpace, .spaceMeasured, .woken:
            // Nobody reports these.
            break
        }
        return true
    }

    /// A transfer as the store has it, with what was changed since; nil where there is none that is not over.
    nonisolated(nonsending) func stored(_ id: TransferID) async -> StoredTransfer? {
        guard !isOver(id) else { return nil }
        let asked = asked[id]
        do {
            guard var stored = try await store.transfers([id]).first, stored.ending == nil else { return nil }
            stored.isSuspended = asked?.isSuspended ?? stored.isSuspended
            stored.hold = asked?.hold ?? stored.hold
            stored.retry = asked?.retry ?? stored.retry
            return stored
        } catch {
            updates.continuation.yield(.storeTrouble(TransferStoreError(error)))
            return nil
        }
    }

    private nonisolated(nonsending) func cancel(_ transfer: StoredTransfer) async -> ActionOutcome {
        asked[transfer.id, default: EarlyTransfer()].isOver = true
        await writer.commit([.ended(transfer.id, .cancelled)])
        attempts.discard(transfer.id, transfer.specification, transfer.resume)
        updates.tell(transfer.id, .cancelled, at: alarm.now())
        return .done
    }

    private nonisolated(nonsending) func setSuspended(
        _ transfer: StoredTransfer, _ isSuspended: Bool
    ) async -> ActionOutcome {
        if transfer.isSuspended != isSuspended {
            asked[transfer.id, default: EarlyTransfer()].isSuspended = isSuspended
            await writer.commit([.suspended(transfer.id, isSuspended)])
            updates.tell(transfer.id, isSuspended ? .paused : .resumed, at: alarm.now())
            return .done
        }
        guard !isSuspended, var retry = transfer.retry else { return .unchanged }
        retry.until = alarm.now().wall
        asked[transfer.id, default: EarlyTransfer()].retry = retry
        await writer.commit([.retried(transfer.id, retry)])
        return .done
    }

    private nonisolated(nonsending) func setHold(
        _ transfer: StoredTransfer, _ hold: TransferHold?
    ) async -> ActionOutcome {
        guard transfer.hold != hold else { return .unchanged }
        asked[transfer.id, default: EarlyTransfer()].hold = .some(hold)
        await writer.commit([.held(transfer.id, hold)])
        return .done
    }

    // MARK: The first look

    /// Keeps those of a stored batch back of which anything was asked for.
    ///
    /// - Returns: the others, which the scheduler can have.
    func sift(_ batch: consuming RecoveredTransfers) -> RecoveredTransfers {
        var batch = batch
        if !asked.isEmpty {
            for transfer in batch.remove(where: { asked[$0] != nil }) { entering[transfer.id] = transfer }
        }
        return batch
    }

    /// Hands out the transfers of which anything was asked for, when the whole store was sifted. Nothing is left here.
    ///
    /// - Returns: those that the scheduler gets as stored ones, submissions of new ones, and the watched.
    func takeAsked() -> (changed: [RecoveredTransfer], new: [Event], watched: [TransferID]) {
        defer { (asked, entering) = ([:], [:]) }
        var changed: [RecoveredTransfer] = []
        var new: [Event] = []
        for (id, asked) in asked.sorted(by: { $0.key < $1.key }) where !asked.isOver {
            // A store that is asked for some transfers only does not hand over others, which this run was given.
            guard let transfer = entering[id] ?? asked.newTraits.map({ RecoveredTransfer(id: id, traits: $0) }) else {
                continue
            }
            let state = asked.changing(transfer.state)
            let isHeldBack = state.isPaused || state.held != nil || state.need != nil
            if asked.newTraits != nil, transfer.traits.isFromBackground == true, !isHeldBack {
                // As one handed over now, so that the relaunch limiter is asked about it.
                new.append(.submitted(id, transfer.traits))
            } else {
                changed.append(RecoveredTransfer(id: id, traits: transfer.traits, state: state))
            }
        }
        return (changed, new, asked.filter { $1.isWatched && !$1.isOver }.keys.sorted())
    }
}
