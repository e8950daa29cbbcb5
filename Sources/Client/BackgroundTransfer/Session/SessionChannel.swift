// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The way from a session to whoever carries its transfers out: the daemon, or an engine in this process.
///
/// The other side keeps tasks and events through the app's end. Orders are carried out in the order they are posted.
package protocol SessionChannel: Sendable {
    /// Joins this process to a session, which is made where there is none yet. Blocks until the other side has answered.
    ///
    /// - Throws: `SessionError`, of the code `inUse` where another process uses the session.
    func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession
    /// Has something done to a task of a session.
    func post(_ order: TaskOrder, in session: String)
    /// The session's tasks that are not over, as they stand now.
    func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot]
    /// An event is dealt with: it does not come again.
    func acknowledge(_ number: EventNumber, in session: String)
    /// A person works with this program now, or no longer.
    func setInFront(_ isInFront: Bool)
    /// This process has done with the session; its tasks go on.
    func close(_ session: String)
}

/// A session as this process finds it.
package struct OpenedSession: Sendable {
    /// The identifier of the next new task: higher than any that a task of the session ever had.
    package var nextTask: Int
    /// Tasks that are not over, and those that are but whose events have not been dealt with.
    package var tasks: [TaskSnapshot]
    /// What happens in the session from now on, after what waited to be told.
    package var events: AsyncStream<SessionEvent>

    /// A session.
    package init(nextTask: Int, tasks: [TaskSnapshot], events: AsyncStream<SessionEvent>) {
        self.nextTask = nextTask
        self.tasks = tasks
        self.events = events
    }
}
