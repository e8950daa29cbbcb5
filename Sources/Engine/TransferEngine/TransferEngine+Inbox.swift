// SPDX-License-Identifier: Apache-2.0
import TransferPolicy
import TransferScheduling

/// What comes into the engine's inbox.
enum Message: Sendable {
    case conditions(Conditions)
    case alarm(AlarmSignal)
    case submit(Submission)
    case change(TransferID, TransferChange, CheckedContinuation<Void, any Error>)
    case answer(TransferID, ChallengeAnswer, CheckedContinuation<Void, any Error>)
    case command(Event)
    case policy(any Policy)
    case report(TransferID, attempt: Int, ExecutorReport)
    case shutDown
    /// The executor has reported the end of every attempt.
    case executorEnded
}

/// A transfer on its way into the queue.
struct Submission: Sendable {
    var specification: TransferSpecification
    var key: String?
    var isWatched: Bool
    var reply: CheckedContinuation<TransferID, any Error>
}

extension TransferEngine {
    /// Stores a transfer, answers who handed it over, and lets the scheduler have it.
    func take(_ submission: Submission) async {
        do {
            let id = try await store.newIdentifier()
            let transfer = StoredTransfer(id: id, specification: submission.specification, key: submission.key)
            try await store.commit([.inserted(transfer)])
            submission.reply.resume(returning: id)
            guard hasLooked else {
                awaitingConditions?.append(
                    EarlyTransfer(stored: transfer, isNew: true, isWatched: submission.isWatched))
                return
            }
            records[id] = TransferRecord(specification: submission.specification)
            await handle(.submitted(id, submission.specification.traits))
            if submission.isWatched { await watch(id, true) }
        } catch {
            submission.reply.resume(throwing: error)
        }
    }

    /// Carries out what somebody asked for.
    func carryOut(_ command: Event) async {
        switch command {
        case .watched(let id): await watch(id, true)
        case .unwatched(let id): await watch(id, false)
        case .held(let id, let holder, let why):
            guard records[id] != nil else { return }
            await handle(command, saving: [.held(id, TransferHold(by: holder, why: why))])
        case .released(let id):
            guard records[id] != nil else { return }
            await handle(command, saving: [.held(id, nil)])
        case .budgetsChanged, .appRelaunched, .appCameToFront, .relaunchAbandoned:
            await handle(command, savingLearned: true)
        case .submitted, .recovered, .changed, .cancelled, .paused, .resumed, .conditionsChanged, .appUsed, .appNeeded,
            .appAnswered, .progressed, .restarted, .stopped, .finished, .failed, .ranOutOfSpace, .spaceMeasured, .woken:
            await handle(command)
        }
    }

    /// Begins or ends telling why a transfer waits; who begins is told how it stands, unless that was told already.
    func watch(_ id: TransferID, _ isWatched: Bool) async {
        guard records[id] != nil else { return }
        records[id]?.isWatched = isWatched
        await handle(isWatched ? .watched(id) : .unwatched(id))
        let now = alarm.now()
        guard isWatched, let explanation = scheduler.explanation(of: id, at: now), !explanation.holds.isEmpty,
            explanation.codes != records[id]?.toldReasons
        else { return }
        explain(id, at: now)
    }
}

extension Explanation {
    /// The codes of its reasons: they tell whether something else holds the transfer than before.
    var codes: [String] { holds.map(\.reason.code) }
}
