// SPDX-License-Identifier: Apache-2.0
import TransferPolicy
import TransferScheduling

/// A transfer that the scheduler does not have yet, because nobody knows what the machine is like.
struct EarlyTransfer {
    var stored: StoredTransfer
    /// Whether it was handed over in this run: then the scheduler has never heard of it.
    var isNew = false
    var isWatched = false
    /// What its app has to do first.
    var need: AppNeed?
}

extension TransferEngine {
    /// Carries out a command before the first look at the machine: on what is stored, since nothing runs yet.
    func carryOutBeforeFirstLook(_ command: Event) async {
        switch command {
        case .cancelled(let id): await cancelEarly(id)
        case .paused(let id): await setSuspended(id, true)
        case .resumed(let id): await setSuspended(id, false)
        case .held(let id, let holder, let why): await setHold(id, TransferHold(by: holder, why: why))
        case .released(let id): await setHold(id, nil)
        case .watched(let id): updateEarly(id) { $0.isWatched = true }
        case .unwatched(let id): updateEarly(id) { $0.isWatched = false }
        case .appNeeded(let id, let need): updateEarly(id) { $0.need = need }
        case .appAnswered(let id): updateEarly(id) { $0.need = nil }
        case .appUsed, .appRelaunched, .appCameToFront, .relaunchAbandoned, .budgetsChanged:
            // About no transfer: the scheduler keeps its count of these whatever the machine is like.
            await carryOut(command)
        case .submitted, .recovered, .changed, .conditionsChanged, .progressed, .restarted, .stopped, .finished,
            .failed,
            .ranOutOfSpace, .spaceMeasured, .woken:
            // These are no commands.
            break
        }
    }

    /// Whether somebody has looked at the machine: transfers may start.
    var hasLooked: Bool { awaitingConditions == nil }

    /// Hands the transfers that waited for the first look to the scheduler.
    func enter(_ transfers: [EarlyTransfer]) async {
        for transfer in transfers {
            let stored = transfer.stored
            records[stored.id] = TransferRecord(specification: stored.specification, resume: stored.resume)
            if transfer.isNew, !stored.isSuspended, stored.hold == nil, transfer.need == nil {
                // As one handed over now, so that the relaunch limiter is asked about it.
                await decide(.submitted(stored.id, stored.specification.traits))
            } else {
                await recover(transfer)
            }
        }
        await settle()
        await watch(transfers.filter(\.isWatched).map(\.stored.id), true)
    }

    private func recover(_ transfer: EarlyTransfer) async {
        let stored = transfer.stored
        let state = RecoveredState(
            bytes: stored.resume?.bytes ?? 0, total: stored.resume?.total, retry: stored.retry,
            isPaused: stored.isSuspended, relaunchHold: stored.relaunchHold,
            held: stored.hold.map { RecoveredHold(by: $0.holder, why: $0.why) }, need: transfer.need)
        await decide(.recovered(stored.id, stored.specification.traits, state))
    }

    private func cancelEarly(_ id: TransferID) async {
        guard let transfer = early(id) else { return }
        awaitingConditions?.removeAll { $0.stored.id == id }
        await commit([.ended(id, .cancelled)])
        discard(id, transfer.stored.specification, transfer.stored.resume)
        tell(id, .cancelled, at: alarm.now())
    }

    private func setSuspended(_ id: TransferID, _ isSuspended: Bool) async {
        guard let transfer = early(id)?.stored else { return }
        if transfer.isSuspended != isSuspended {
            updateEarly(id) { $0.stored.isSuspended = isSuspended }
            await commit([.suspended(id, isSuspended)])
        } else if !isSuspended, var retry = transfer.retry {
            retry.until = alarm.now().wall
            updateEarly(id) { $0.stored.retry = retry }
            await commit([.retried(id, retry)])
        }
    }

    private func setHold(_ id: TransferID, _ hold: TransferHold?) async {
        guard let transfer = early(id)?.stored, transfer.hold != hold else { return }
        updateEarly(id) { $0.stored.hold = hold }
        await commit([.held(id, hold)])
    }

    /// The transfer with that number, as long as it waits for the first look.
    func early(_ id: TransferID) -> EarlyTransfer? { awaitingConditions?.first { $0.stored.id == id } }

    func updateEarly(_ id: TransferID, _ change: (inout EarlyTransfer) -> Void) {
        guard let index = awaitingConditions?.firstIndex(where: { $0.stored.id == id }),
            var transfer = awaitingConditions?[index]
        else { return }
        change(&transfer)
        awaitingConditions?[index] = transfer
    }
}
