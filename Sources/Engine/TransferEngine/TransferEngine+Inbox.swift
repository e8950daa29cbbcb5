// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// What comes into the engine's inbox.
enum Message: Sendable {
    case conditions(Conditions)
    case alarm(AlarmSignal)
    case submit(Submission)
    case change(TransferID, TransferChange, CheckedContinuation<Void, any Error>)
    case answer(TransferID, ChallengeAnswer, CheckedContinuation<Void, any Error>)
    case action(ActionRequest)
    case command(Event)
    case explain(TransferID, CheckedContinuation<Explanation?, Never>)
    case budgets(ByteBudgetLimits)
    case ping(CheckedContinuation<Void, Never>)
    case policy(any Policy, CheckedContinuation<Void, Never>)
    case report(TransferID, attempt: Int, ExecutorReport)
    /// What an attempt was to do could not be read, so that it has not begun.
    case unreadable(TransferID, attempt: Int)
    case shutDown
    /// The executor has reported the end of every attempt.
    case executorEnded
}

/// Transfers on their way into the queue.
struct Submission: Sendable {
    var transfers: [NewTransfer]
    var isWatched: Bool
    var reply: CheckedContinuation<[TransferID], any Error>
}

extension TransferEngine {
    /// Stores transfers, answers who handed them over, and lets the scheduler have them.
    func take(_ submission: Submission) async {
        let ids: [TransferID]
        do {
            ids = try await store.commit(submission.transfers.map { .submitted($0, resume: nil) })
        } catch {
            return submission.reply.resume(throwing: error)
        }
        let now = alarm.now()
        for (id, transfer) in zip(ids, submission.transfers) { tell(id, .submitted(transfer), at: now) }
        submission.reply.resume(returning: ids)
        guard hasLooked else {
            for (id, transfer) in zip(ids, submission.transfers) {
                early?[id] = EarlyTransfer(new: transfer.specification.traits, isWatched: submission.isWatched)
            }
            return
        }
        for (id, transfer) in zip(ids, submission.transfers) {
            // The first are about to be needed; of a long queue the store keeps the rest.
            if records.count < Self.mostSpecifications {
                records[id] = TransferRecord(specification: transfer.specification)
            }
            await decide(.submitted(id, transfer.specification.traits))
        }
        await settle()
        if submission.isWatched { await watch(ids, true) }
    }

    /// Carries out what somebody asked for.
    func carryOut(_ command: Event) async {
        switch command {
        case .watched(let id): await watch([id], true)
        case .unwatched(let id): await watch([id], false)
        case .budgetsChanged, .appRelaunched, .appCameToFront, .relaunchAbandoned:
            await handle(command, savingLearned: true)
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .held, .released, .conditionsChanged,
            .appUsed, .appNeeded,
            .appAnswered, .progressed, .restarted, .stopped, .finished, .failed, .ranOutOfSpace, .spaceMeasured, .woken:
            await handle(command)
        }
    }

    /// Sets other limits of metered bytes; what is spent stays spent.
    func carryOut(_ limits: ByteBudgetLimits) async {
        let budgets = try? scheduler.budgets.limited(to: limits, at: alarm.now().wall, localTime: scheduler.localTime)
        // Limits are checked when they are made.
        guard let budgets, budgets != scheduler.budgets else { return }
        await carryOut(.budgetsChanged(budgets))
    }

    /// Begins or ends telling why transfers wait; who begins is told how they stand, unless that was told already.
    func watch(_ ids: [TransferID], _ isWatched: Bool) async {
        let ids = ids.filter { scheduler.contains($0) }
        for id in ids {
            record(of: id).isWatched = isWatched
            await decide(isWatched ? .watched(id) : .unwatched(id))
        }
        await settle()
        guard isWatched else { return }
        let now = alarm.now()
        for id in ids {
            guard let explanation = scheduler.explanation(of: id, at: now), !explanation.holds.isEmpty,
                explanation.codes != records[id]?.toldReasons
            else { continue }
            explain(id, at: now)
        }
    }
}

extension Explanation {
    /// The codes of its reasons: they tell whether something else holds the transfer than before.
    var codes: [String] { holds.map(\.reason.code) }
}
