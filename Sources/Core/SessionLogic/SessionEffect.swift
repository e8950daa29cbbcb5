// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// What is to be done for sessions, in order. All of it is safe to repeat.
package enum SessionEffect: Hashable, Sendable {
    /// Save this before anything that follows, however long it takes.
    case save([SessionChange])
    /// Tell the process that has the session open.
    case tell(SessionKey, SessionEvent)

    /// Give a task to the engine; ``SessionMachine/Event/transferSubmitted(_:key:)`` or another end of it follows.
    case submit(TaskSubmission)
    case pause([TransferID])
    /// Have a paused transfer go on; ``SessionMachine/Event/resumed(_:)`` follows, or the end that it came to meanwhile.
    case resume(TransferID)
    case cancel([TransferID])
    /// Cancel the transfers that were submitted with these keys.
    case cancelKeys([String])
    case change(TransferID, Constraints, priority: Int)
    /// Give a server the answer to its challenge; ``SessionMachine/Event/answered(_:_:)`` follows.
    case answerChallenge(TransferID, ChallengeAnswer)
    /// Keep a transfer from running until its app was asked.
    case holdForApp(TransferID)
    case releaseForApp(TransferID)

    /// Start an app, or call it if it runs; ``SessionMachine/Event/launchEnded(_:_:)`` follows.
    case launch(String, AppRegistration, for: SessionKey)
    /// Tell the relaunch limiter: the app was started or called.
    case noteRelaunch(String)
    /// Tell the relaunch limiter: the app will not be started for what has ended.
    case noteRelaunchAbandoned(String)
    /// Tell the relaunch limiter: a person brought the app to the front.
    case noteFront(String)

    /// Send ``SessionMachine/Event/timerFired(_:)`` after that time, time asleep included.
    case setTimer(SessionTimer, Duration)
    case cancelTimer(SessionTimer)
    /// Remove a finished file that its app has taken or left.
    case removeFile(String)
    /// Remove the kept file of an upload.
    case removeSource(KeptSource)
}

/// A task on its way to the engine.
package struct TaskSubmission: Hashable, Sendable {
    package var session: SessionKey
    package var task: TaskRecord
    package var settings: SessionSettings
    package var isSandboxed: Bool
    /// All that is not read off the address; the host is not filled in.
    package var traits: TransferTraits
    /// The transfer that the task was before its app gave it another request: cancelled, its urgency kept.
    package var replaced: TransferID?

    package var number: Int { task.snapshot.identifier }
    /// Names the transfer in the store.
    package var transferKey: String { session.transferKey(of: number, again: task.generation) }
}
