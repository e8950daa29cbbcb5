// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// An action that the scheduler requests. Every effect is safe to repeat.
public enum Effect: Hashable, Sendable {
    /// Begins an attempt.
    case start(TransferID)
    /// Ends the running attempt and keeps its bytes.
    case stop(TransferID)
    /// Removes the files that a canceled or expired transfer left on disk.
    case discard(TransferID)
    /// Reports that the transfer has ended.
    case end(TransferID, Ending)
    /// Saves the number of failed attempts and the end of the backoff; `nil` deletes both.
    case saveRetry(TransferID, RetryState?)
    /// Saves whether the transfer is paused.
    case savePaused(TransferID, Bool)
    /// Saves the delay that the relaunch limiter assigned to the transfer; `nil` deletes the saved delay.
    case saveRelaunchDelay(TransferID, RelaunchLimiter.RelaunchDelay?)
    /// Saves the statistics of the machine (see ``Scheduler/statistics(at:boot:)``), because a change of them must
    /// survive a restart.
    case saveStatistics
    /// Measures the free disk space for the transfer.
    case measureSpace(TransferID)
    /// Reports to watchers that the wait reasons of the transfer have changed.
    case explain(TransferID)
    /// Reports once that the transfer's deadline is at risk, or was missed.
    case reportDeadline(TransferID, DeadlineState)
    /// Requests a `woken` event at the given moment. Replaces the previous request; `nil` cancels that request.
    case wake(Instant?)
}

/// The result of a transfer that has ended.
public enum Ending: Hashable, Sendable {
    /// The executor reported a complete response.
    case finished
    /// The server returned this status until the attempts were used up, so the status is the response.
    case responded(status: Int)
    /// The transfer failed with this cause, from the executor or from the scheduler itself (expiry, no progress).
    case failed(FailureCause)
    /// The transfer was canceled on request.
    case cancelled
}
