// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
import TransferScheduling

/// A message in the engine's inbox.
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

/// A command on its way through the inbox.
struct ActionRequest: Sendable {
    var ids: [TransferID]
    var action: TransferAction
    /// Whether to answer only when all transfers that are cancelled have ended.
    var awaitsEnd: Bool
    var reply: AwaitedEnds.Reply
}
