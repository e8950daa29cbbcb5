// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy

/// What is to be done. Each is safe to repeat.
public enum Effect: Hashable, Sendable {
    /// Begin an attempt.
    case start(TransferID)
    /// End the attempt that runs, keeping its bytes.
    case stop(TransferID)
    /// Remove what a cancelled transfer left on disk.
    case discard(TransferID)
    /// The transfer is over.
    case end(TransferID, Ending)
    /// Remember the failed attempts; nil forgets them.
    case saveRetry(TransferID, RetryState?)
    /// Remember that it is paused, or no longer is.
    case savePaused(TransferID, Bool)
    /// Remember what the relaunch limiter gave it; nil forgets it.
    case saveRelaunchHold(TransferID, RelaunchLimiter.Hold?)
    /// What was learned (see ``Scheduler/learned(at:boot:)``) has changed in a way that a restart must not lose.
    case saveLearned
    /// Measure the room on disk for it.
    case measureSpace(TransferID)
    /// Why a watched transfer waits has changed: tell those who watch.
    case explain(TransferID)
    /// Send `woken` at that moment, in place of the one asked for before; nil asks for none.
    case wake(Instant?)
}

/// How a transfer ends.
public enum Ending: Hashable, Sendable {
    /// With the complete answer that the executor reported.
    case finished
    /// With a status that was tried often enough: it is the answer.
    case answered(status: Int)
    /// With the failure that the executor reported.
    case failed(FailureCause)
    /// As somebody asked.
    case cancelled
}
