// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// What happened. Beside ``Scheduler/take(_:at:)`` and another policy the only thing that moves the scheduler.
public enum Event: Hashable, Sendable {
    /// A transfer was handed over.
    case submitted(TransferID, TransferTraits)
    /// A transfer was found in the store at the start; whatever it did then, it waits now.
    // Apart, or it would make all the others twice as large.
    indirect case recovered(TransferID, TransferTraits, RecoveredState)
    /// Somebody changed what a transfer asks for.
    case changed(TransferID, TransferTraits)
    /// Somebody cancelled a transfer.
    case cancelled(TransferID)
    /// Somebody paused a transfer.
    case paused(TransferID)
    /// Somebody resumed a paused transfer, or asked to try again at once.
    case resumed(TransferID)
    /// The machine is like this now.
    case conditionsChanged(Conditions)
    /// A person uses an app: policies that go by recency learn of it.
    case appUsed(String)
    /// An app was started, or woken in the background, because of its transfers: its delay grows.
    case appRelaunched(String)
    /// A person brought an app to the front: what its delay held is free.
    case appCameToFront(String)
    /// An app that was to be started because a transfer ended will not be.
    case relaunchAbandoned(String)
    /// Somebody or something holds a transfer back for a reason of their own.
    case held(TransferID, by: String, why: String)
    /// What held it back so lets it go.
    case released(TransferID)
    /// A transfer's app has to do something before it goes on.
    case appNeeded(TransferID, AppNeed)
    /// The app has done it.
    case appAnswered(TransferID)
    /// The budgets of metered bytes were set; what is spent is part of them.
    case budgetsChanged(ByteBudgetBook)
    /// Somebody wants to be told why a transfer waits, whenever that changes.
    case watched(TransferID)
    /// Nobody wants to be told of a transfer any more.
    case unwatched(TransferID)
    /// Bytes came. `total` is nil when unknown.
    case progressed(TransferID, bytes: Int64, total: Int64?)
    /// The partial file was given up; the attempt goes on from 0.
    case restarted(TransferID)
    /// The attempt ended because it was told to. `bytes` are kept.
    case stopped(TransferID, bytes: Int64)
    /// The attempt ended with a complete answer.
    case finished(TransferID)
    /// The attempt failed. `bytes` are kept.
    case failed(TransferID, FailureCause, retryAfter: Duration?, bytes: Int64)
    /// The attempt ended because the disk has no room. `needed` is what is still missing.
    case ranOutOfSpace(TransferID, needed: Int64?, available: Int64, bytes: Int64)
    /// The room on disk was measured for a transfer that waits for it; nil when it cannot be.
    case spaceMeasured(TransferID, available: Int64?)
    /// A moment that was asked for has come, or the wall clock was set.
    case woken
}

/// Somebody's hold on a transfer, as the store knew it.
public struct RecoveredHold: Hashable, Sendable {
    /// Who holds it.
    public var by: String
    /// Why, in their words.
    public var why: String

    /// A hold.
    public init(by: String, why: String) {
        self.by = by
        self.why = why
    }
}

/// What the store knew of a transfer.
public struct RecoveredState: Hashable, Sendable {
    /// Bytes durably on disk.
    public var bytes: Int64
    /// The size where it is known.
    public var total: Int64?
    /// Failed attempts so far.
    public var retry: RetryState?
    /// Whether somebody paused it.
    public var isPaused: Bool
    /// What the relaunch limiter gave it.
    public var relaunchHold: RelaunchLimiter.Hold?
    /// Who holds it back for a reason of their own; nil where nobody does.
    public var held: RecoveredHold?
    /// What its app has to do first.
    public var need: AppNeed?

    /// A state.
    public init(
        bytes: Int64 = 0, total: Int64? = nil, retry: RetryState? = nil, isPaused: Bool = false,
        relaunchHold: RelaunchLimiter.Hold? = nil, held: RecoveredHold? = nil, need: AppNeed? = nil
    ) {
        self.held = held
        self.need = need
        self.relaunchHold = relaunchHold
        self.bytes = bytes
        self.total = total
        self.retry = retry
        self.isPaused = isPaused
    }
}
