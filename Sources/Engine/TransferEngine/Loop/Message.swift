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
    case answer(TransferID, ChallengeResponse, CheckedContinuation<Void, any Error>)
    case action(ActionRequest)
    case command(Event)
    case explain(TransferID, CheckedContinuation<Explanation?, Never>)
    case budgets(ByteBudgetLimits)
    case ping(CheckedContinuation<Void, Never>)
    case policy(any Policy, CheckedContinuation<Void, Never>?)
    case report(TransferID, attempt: Int, ExecutorReport)
    /// The specification of an attempt could not be read, so the attempt did not start.
    case unreadable(TransferID, attempt: Int)
    case shutDown
    /// The executor has reported the end of every attempt.
    case executorEnded
}

/// A submission of transfers.
struct Submission: Sendable {
    var transfers: [NewTransfer]
    var isWatched: Bool
    var reply: CheckedContinuation<[TransferID], any Error>

    /// Fills in the date and the hosts that the caller left out.
    mutating func complete(at now: WallTime) {
        for index in transfers.indices { transfers[index].complete(at: now) }
    }
}

/// An action on transfers.
struct ActionRequest: Sendable {
    var ids: [TransferID]
    var action: TransferAction
    /// A Boolean value that indicates whether the reply waits until all canceled transfers have ended.
    var awaitsEnd: Bool
    var reply: PendingReplies.Reply
}
