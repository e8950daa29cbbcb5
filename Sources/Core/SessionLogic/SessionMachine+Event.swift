// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension SessionMachine {
    /// An event that concerns sessions.
    package enum Event: Sendable {
        /// The store contains this session and these transfers of its tasks. Precedes all other events.
        case recovered(StoredSession, [Int: RecoveredTaskTransfer])
        /// The engine runs, and the session resumes its unfinished work.
        case engineStarted(SessionKey)
        /// An admitted request is saved.
        case accepted(Admission)
        /// A process may have missed events.
        case missedEvents(SessionKey, by: String)
        /// A process has closed a session.
        case closed(SessionKey, by: String)
        /// A process is gone.
        case disconnected(SessionKey, by: String)
        /// The user has force-quit the session's app.
        case quit(SessionKey)

        /// A task's transfer is durable.
        case transferSubmitted(TransferID, key: String)
        /// A task's transfer could not be saved.
        case submissionFailed(key: String)
        /// A task cannot be transferred.
        case unusable(SessionKey, Int, FailureDescription)
        /// The resumption of a transfer is durable.
        case resumed(TransferID)
        case transferBegan(TransferID)
        case transferProgressed(TransferID, bytes: Int64, total: Int64?)
        case transferStopped(TransferID, bytes: Int64)
        /// The date before which a transfer may not begin has changed; `nil` means that the date was removed.
        case dateChanged(TransferID, WallTime?)
        /// A server requires credentials.
        case challenged(TransferID, [AuthenticationChallenge])
        /// A server has received the app's reply, or no longer requires one.
        case challengeAnswered(TransferID)
        case transferEnded(TransferID, TaskEnd)

        /// An app reports whether it is in the foreground.
        case foregroundReported(String, Bool)
        /// The desktop reported its windows. Carries the complete report, by app name.
        case windowsChanged([String: WindowFocus])
        case launchEnded(String, LaunchOutcome)
        case timerFired(SessionTimer)
    }

    /// Returns the session that must process an event in turn, because the event changes saved rows or sends events
    /// in order. Returns `nil` if the event need not wait.
    package func session(of event: Event) -> SessionKey? {
        switch event {
        case .engineStarted(let key), .missedEvents(let key, _), .closed(let key, _), .disconnected(let key, _),
            .quit(let key), .unusable(let key, _, _), .timerFired(.begin(let key, _)):
            key
        case .accepted(let admission): admission.key
        case .dateChanged(let id, _), .challenged(let id, _), .challengeAnswered(let id), .resumed(let id),
            .transferEnded(let id, _):
            owners[id]?.session
        case .recovered, .transferSubmitted, .submissionFailed, .transferBegan, .transferProgressed, .transferStopped,
            .foregroundReported, .windowsChanged, .launchEnded, .timerFired(.handlingTimeLimit), .timerFired(.pause):
            nil
        }
    }

    /// Returns the app that may have something to receive after an event, or whose launch the event concerns.
    func app(of event: Event) -> String? {
        switch event {
        case .launchEnded(let app, _), .timerFired(.handlingTimeLimit(let app)), .timerFired(.pause(let app)): app
        default: session(of: event)?.app
        }
    }
}

/// A transfer of a task, as found in the store at startup.
package struct RecoveredTaskTransfer: Hashable, Sendable {
    package var id: TransferID
    /// The time at which the transfer was submitted.
    package var submitted: WallTime
    /// The date before which the transfer may not begin.
    package var date: WallTime?
    /// The number of bytes present; `nil` if the transfer has not begun.
    package var bytes: Int64?
    package var total: Int64?

    package init(id: TransferID, submitted: WallTime, date: WallTime?, bytes: Int64? = nil, total: Int64? = nil) {
        self.id = id
        self.submitted = submitted
        self.date = date
        self.bytes = bytes
        self.total = total
    }
}
