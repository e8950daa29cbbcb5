// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// An input of the scheduler.
///
/// Apart from events, only ``Scheduler/recover(_:at:)`` and a change of policy change the scheduler's state.
public enum Event: Hashable, Sendable {
    /// A transfer was submitted.
    case submitted(TransferID, TransferTraits)
    /// A transfer was found in the store at startup. The transfer waits now, regardless of its previous state.
    // `indirect`, because the payload would double the size of all other cases.
    indirect case recovered(TransferID, TransferTraits, RecoveredState)
    /// A client changed the traits of a transfer.
    case changed(TransferID, TransferTraits)
    /// A client canceled a transfer.
    case cancelled(TransferID)
    /// A client paused a transfer.
    case paused(TransferID)
    /// A client resumed a paused transfer, or requested an immediate retry.
    case resumed(TransferID)
    /// The conditions of the machine changed to these.
    case conditionsChanged(Conditions)
    /// An app was started, or woken in the background, because of its transfers. The app's relaunch delay grows.
    case appRelaunched(String)
    /// The user brought an app to the front. The transfers that its relaunch delay blocked are released.
    case appCameToFront(String)
    /// A planned relaunch of an app for an ended transfer will not happen.
    case relaunchAbandoned(String)
    /// A user or a program blocked a transfer.
    case held(TransferID, by: String, why: String)
    /// The block on a transfer was released.
    case released(TransferID)
    /// A transfer cannot continue until its app acts.
    case appNeeded(TransferID, AppNeed)
    /// The app completed the required action.
    case appResponded(TransferID)
    /// The budgets of metered bytes were set, including the bytes already spent.
    case budgetsChanged(ByteBudgetRegistry)
    /// A client subscribed to changes of a transfer's wait reasons.
    case watched(TransferID)
    /// The last subscription to a transfer's wait reasons ended.
    case unwatched(TransferID)
    /// An attempt received or sent bytes. `total` is `nil` if the size is unknown.
    case progressed(TransferID, bytes: Int64, total: Int64?)
    /// The partial file was discarded, and the attempt continues from byte 0.
    case restarted(TransferID)
    /// The attempt ended on request. `bytes` is the number of bytes kept.
    case stopped(TransferID, bytes: Int64)
    /// The attempt ended with a complete response.
    case finished(TransferID)
    /// The attempt failed. `bytes` is the number of bytes kept.
    case failed(TransferID, FailureCause, retryAfter: Duration?, bytes: Int64)
    /// A server requested that no transfer to it starts for some time. The server is named as in
    /// `TransferTraits.host` of the module `TransferModel`.
    case serverRequestedWait(server: String, Duration)
    /// The attempt ended because the disk is full. `needed` is the number of bytes still missing.
    case ranOutOfSpace(TransferID, needed: Int64?, available: Int64, bytes: Int64)
    /// The free disk space was measured for a transfer that waits for space; `nil` if the measurement failed.
    case spaceMeasured(TransferID, available: Int64?)
    /// A requested wake-up time has arrived, or the wall clock was set.
    case woken
}

/// A block on a transfer, as read from the store.
public struct RecoveredBlock: Hashable, Sendable {
    /// The name of the holder.
    public var by: String
    /// The reason, as stated by the holder.
    public var why: String

    /// Creates a block.
    public init(by: String, why: String) {
        self.by = by
        self.why = why
    }
}

/// The stored state of a transfer.
public struct RecoveredState: Hashable, Sendable {
    /// The number of bytes that are durable on disk.
    public var bytes: Int64
    /// The total size in bytes; `nil` if unknown.
    public var total: Int64?
    /// The failed attempts so far; `nil` if no attempt failed.
    public var retry: RetryState?
    /// A Boolean value that indicates whether the transfer is paused.
    public var isPaused: Bool
    /// The delay that the relaunch limiter assigned; `nil` if there is none.
    public var relaunchDelay: RelaunchLimiter.RelaunchDelay?
    /// The block on the transfer; `nil` if there is none.
    public var held: RecoveredBlock?
    /// The action that the transfer needs from its app first; `nil` if there is none.
    public var need: AppNeed?

    /// Creates a state. The default arguments describe a new transfer.
    public init(
        bytes: Int64 = 0, total: Int64? = nil, retry: RetryState? = nil, isPaused: Bool = false,
        relaunchDelay: RelaunchLimiter.RelaunchDelay? = nil, held: RecoveredBlock? = nil, need: AppNeed? = nil
    ) {
        self.held = held
        self.need = need
        self.relaunchDelay = relaunchDelay
        self.bytes = bytes
        self.total = total
        self.retry = retry
        self.isPaused = isPaused
    }
}
