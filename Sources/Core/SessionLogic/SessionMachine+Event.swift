// SPDX-License-Identifier: Apache-2.0
package import TransferModel

extension SessionMachine {
    /// Something that happened to sessions.
    package enum Event: Sendable {
        /// The store had this session, and these transfers of its tasks. Comes before all others.
        case recovered(StoredSession, [Int: RecoveredTransfer])
        /// The engine runs: what was left undone in the session is done.
        case engineStarted(SessionKey)
        /// What was admitted is saved.
        case accepted(Admission)
        /// A process may have missed events.
        case missedEvents(SessionKey, by: String)
        /// A process has done with a session.
        case closed(SessionKey, by: String)
        /// A process has gone.
        case disconnected(SessionKey, by: String)
        /// A person ended the session's app for good.
        case quit(SessionKey)

        /// A task's transfer is durable.
        case transferSubmitted(TransferID, key: String)
        /// A task's transfer could not be saved.
        case submissionFailed(key: String)
        /// A task cannot be transferred.
        case unusable(SessionKey, Int, FailureDescription)
        /// A transfer goes on, durably.
        case resumed(TransferID)
        case transferBegan(TransferID)
        case transferProgressed(TransferID, bytes: Int64, total: Int64?)
        case transferStopped(TransferID, bytes: Int64)
        /// The date before which a transfer may not begin is another one, or none.
        case dateChanged(TransferID, WallTime?)
        /// A server wants a login.
        case challenged(TransferID, [AuthenticationChallenge])
        /// A server has the app's answer, or wants none any more.
        case answered(TransferID)
        case transferEnded(TransferID, TaskEnd)

        /// An app says whether a person works with it.
        case saidInFront(String, Bool)
        /// The desktop told of its windows: all that it tells, by the names of apps.
        case windowsChanged([String: WindowFocus])
        case launchEnded(String, LaunchOutcome)
        case timerFired(SessionTimer)
    }

    /// The session whose turn an event has to wait for, since it changes what is saved or tells it in order; nil if it waits
    /// for none.
    package func session(of event: Event) -> SessionKey? {
        switch event {
        case .engineStarted(let key), .missedEvents(let key, _), .closed(let key, _), .disconnected(let key, _),
            .quit(let key), .unusable(let key, _, _), .timerFired(.begin(let key, _)):
            key
        case .accepted(let admission): admission.key
        case .dateChanged(let id, _), .challenged(let id, _), .answered(let id), .resumed(let id),
            .transferEnded(let id, _):
            owners[id]?.session
        case .recovered, .transferSubmitted, .submissionFailed, .transferBegan, .transferProgressed, .transferStopped,
            .saidInFront, .windowsChanged, .launchEnded, .timerFired(.patience), .timerFired(.pause):
            nil
        }
    }

    /// The app that an event may give something to hear, or whose start it concerns.
    func app(of event: Event) -> String? {
        switch event {
        case .launchEnded(let app, _), .timerFired(.patience(let app)), .timerFired(.pause(let app)): app
        default: session(of: event)?.app
        }
    }
}

/// A transfer of a task, as the store has it at the start.
package struct RecoveredTransfer: Hashable, Sendable {
    package var id: TransferID
    /// When it was submitted.
    package var submitted: WallTime
    /// The date before which it may not begin.
    package var date: WallTime?
    /// The bytes that are there; nil if it has not begun.
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
