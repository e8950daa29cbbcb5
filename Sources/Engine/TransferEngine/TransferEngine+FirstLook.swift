// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// What was asked for of a transfer before the first look at the machine: the scheduler does not have it yet.
struct EarlyTransfer {
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

extension TransferEngine {
    /// Carries out a command before the first look at the machine: on what is stored, since nothing runs yet.
    func carryOutBeforeFirstLook(_ action: TransferAction, on id: TransferID) async -> ActionOutcome {
        guard let transfer = await stored(id) else { return .notFound }
        switch action {
        case .cancel: return await cancelEarly(transfer)
        case .pause: return await setSuspended(transfer, true)
        case .resume: return await setSuspended(transfer, false)
        case .hold(let holder, let why): return await setHold(transfer, TransferHold(by: holder, why: why))
        case .release: return await setHold(transfer, nil)
        }
    }

    /// Takes a fact that was reported before the first look at the machine.
    func carryOutBeforeFirstLook(_ command: Event) async {
        switch command {
        case .watched(let id): early?[id, default: EarlyTransfer()].isWatched = true
        case .unwatched(let id): early?[id, default: EarlyTransfer()].isWatched = false
        case .appNeeded(let id, let need): early?[id, default: EarlyTransfer()].need = need
        case .appAnswered(let id): early?[id, default: EarlyTransfer()].need = nil
        case .appUsed, .appRelaunched, .appCameToFront, .relaunchAbandoned, .budgetsChanged:
            // About no transfer: the scheduler keeps its count of these whatever the machine is like.
            await carryOut(command)
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .held, .released, .conditionsChanged,
            .progressed, .restarted, .stopped, .finished, .failed, .ranOutOfSpace, .spaceMeasured, .woken:
            // Nobody reports these.
            break
        }
    }

    /// Whether somebody has looked at the machine: transfers may start.
    var hasLooked: Bool { early == nil }

    /// Hands the queue to the scheduler as it streams in, with what was asked for meanwhile. What starts first is decided
    /// when all of it is there.
    func enter(_ asked: [TransferID: EarlyTransfer]) async {
        do {
            try await store.recover { [self] batch in await enter(batch, apartFrom: asked) }
        } catch {
            recoveryFailure = error
            return
        }
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
        entering = [:]
        scheduler.take(RecoveredTransfers(changed), at: alarm.now())
        for event in new { await decide(event) }
        await handle(.woken)
        let watched = asked.filter { $1.isWatched && !$1.isOver }.keys.sorted()
        if !watched.isEmpty { await watch(watched, true) }
    }

    private func enter(_ batch: consuming RecoveredTransfers, apartFrom asked: [TransferID: EarlyTransfer]) {
        var batch = batch
        if !asked.isEmpty {
            for transfer in batch.remove(where: { asked[$0] != nil }) { entering[transfer.id] = transfer }
        }
        scheduler.take(batch, at: alarm.now())
    }

    /// A transfer as the store has it, with what was changed since; nil where there is none that is not over.
    func stored(_ id: TransferID) async -> StoredTransfer? {
        let asked = early?[id]
        guard asked?.isOver != true else { return nil }
        do {
            guard var stored = try await store.transfers([id]).first, stored.ending == nil else { return nil }
            stored.isSuspended = asked?.isSuspended ?? stored.isSuspended
            stored.hold = asked?.hold ?? stored.hold
            stored.retry = asked?.retry ?? stored.retry
            return stored
        } catch {
            let trouble = error as? TransferStoreError ?? TransferStoreError(code: .other, message: "\(error)")
            updateContinuation.yield(.storeTrouble(trouble))
            return nil
        }
    }

    private func cancelEarly(_ transfer: StoredTransfer) async -> ActionOutcome {
        early?[transfer.id, default: EarlyTransfer()].isOver = true
        await commit([.ended(transfer.id, .cancelled)])
        discard(transfer.id, transfer.specification, transfer.resume)
        tell(transfer.id, .cancelled, at: alarm.now())
        return .done
    }

    private func setSuspended(_ transfer: StoredTransfer, _ isSuspended: Bool) async -> ActionOutcome {
        if transfer.isSuspended != isSuspended {
            early?[transfer.id, default: EarlyTransfer()].isSuspended = isSuspended
            await commit([.suspended(transfer.id, isSuspended)])
            tell(transfer.id, isSuspended ? .paused : .resumed, at: alarm.now())
            return .done
        }
        guard !isSuspended, var retry = transfer.retry else { return .unchanged }
        retry.until = alarm.now().wall
        early?[transfer.id, default: EarlyTransfer()].retry = retry
        await commit([.retried(transfer.id, retry)])
        return .done
    }

    private func setHold(_ transfer: StoredTransfer, _ hold: TransferHold?) async -> ActionOutcome {
        guard transfer.hold != hold else { return .unchanged }
        early?[transfer.id, default: EarlyTransfer()].hold = .some(hold)
        await commit([.held(transfer.id, hold)])
        return .done
    }
}
