// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// An action for the driver of a ``SessionMachine`` to perform, in order. Every effect is safe to repeat.
package enum SessionEffect: Hashable, Sendable {
    /// Saves changes. Effects that follow wait until the changes are saved, however long that takes.
    case save([SessionChange])
    /// Sends an event to the process that has the session open.
    case send(SessionKey, SessionEvent)

    /// Submits a task to the engine. ``SessionMachine/Event/transferSubmitted(_:key:)`` or another outcome follows.
    case submit(TaskSubmission)
    case pause([TransferID])
    /// Resumes a paused transfer. ``SessionMachine/Event/resumed(_:)`` follows, or the transfer's end if it has ended
    /// meanwhile.
    case resume(TransferID)
    case cancel([TransferID])
    /// Cancels the transfers that were submitted with these keys.
    case cancelKeys([String])
    /// Changes properties of a transfer and leaves all others as they are.
    case change(TransferID, ChangeRequest)
    /// Sends a server the reply to its challenge. ``SessionMachine/Event/challengeAnswered(_:)`` follows.
    case answerChallenge(TransferID, ChallengeResponse)
    /// Keeps a transfer from running until its app has replied.
    case blockForApp(TransferID)
    case unblockForApp(TransferID)

    /// Starts an app, or calls it if it runs. ``SessionMachine/Event/launchEnded(_:_:)`` follows.
    case launch(String, AppRegistration, for: SessionKey)
    /// Notifies the relaunch limiter that the app was started or called.
    case reportRelaunch(String)
    /// Notifies the relaunch limiter that the app will not be started for its finished tasks.
    case reportRelaunchAbandoned(String)
    /// Notifies the relaunch limiter that the user brought the app to the foreground.
    case reportForeground(String)

    /// Sends ``SessionMachine/Event/timerFired(_:)`` after a delay. Time that the system sleeps counts.
    case setTimer(SessionTimer, Duration)
    case cancelTimer(SessionTimer)
    /// Removes a finished file that its app has claimed or abandoned.
    case removeFile(String)
    /// Removes the kept source file of an upload.
    case removeSource(KeptSource)
}

/// A task on its way to the engine.
package struct TaskSubmission: Hashable, Sendable {
    package var session: SessionKey
    package var task: TaskRecord
    package var settings: SessionSettings
    package var isSandboxed: Bool
    /// The traits that do not depend on the address. The host is left empty.
    package var traits: TransferTraits
    /// The transfer that the task had before the app replaced its request. The replaced transfer is canceled, and
    /// its urgency is kept.
    package var replaced: TransferID?

    package var number: Int { task.snapshot.identifier }
    /// The key that identifies the transfer in the store.
    package var transferKey: String { session.transferKey(of: number, again: task.generation) }
}

/// A timer of the machine. Setting a timer replaces an earlier timer with the same name.
package enum SessionTimer: Hashable, Sendable {
    /// Fires when an app is asked whether a task may begin.
    case begin(SessionKey, Int)
    /// Fires when a started app has run out of time to handle its session.
    case handlingTimeLimit(String)
    /// Fires when an app may be started again.
    case pause(String)
}
