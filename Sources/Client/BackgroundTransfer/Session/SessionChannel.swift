// SPDX-License-Identifier: Apache-2.0
package import TransferModel

/// The connection from a session to the service that runs its transfers: the daemon, or an engine in this process.
///
/// The service keeps tasks and events after the app has ended. It carries out orders in the order in which they are
/// posted.
package protocol SessionChannel: Sendable {
    /// Opens a session for this process, and creates the session if it does not exist. Blocks until the service has
    /// responded.
    ///
    /// - Throws: `SessionError`, with the code `inUse` if another process uses the session.
    func open(_ configuration: BackgroundSessionConfiguration) throws(SessionError) -> OpenedSession
    /// Posts an order about a task of a session.
    func post(_ order: TaskOrder, in session: String)
    /// Returns the session's unfinished tasks with their current progress.
    func tasks(of session: String) async throws(SessionError) -> [TaskSnapshot]
    /// Returns the reasons why a task waits. `nil` if the task does not wait.
    func explanation(ofTask task: Int, in session: String) async throws(SessionError) -> WaitExplanation?
    /// Records that an event has been handled, so that the event is not reported again.
    func acknowledge(_ number: EventNumber, in session: String)
    /// Reports whether the user is working with this program.
    func setInFront(_ isInFront: Bool)
    /// Closes the session for this process. Its tasks continue.
    func close(_ session: String)
}

extension TaskOrder {
    /// Returns the outcome of an order that the service refuses for good: the event that ends the task for the app, and
    /// an order that ends the task for the service. `nil` for an order whose task continues without it.
    package func refusal(_ why: String) -> (event: SessionEvent, followUp: TaskOrder?)? {
        // `URLError.unknown`
        let failure = FailureDescription(code: -1, message: why)
        switch self {
        case .submit(let snapshot): return (SessionEvent(task: snapshot.identifier, .completed(failure)), nil)
        // The service waits for another reply, and the app does not reply again.
        case .begin(let task, .with):
            return (SessionEvent(task: task, .completed(failure)), .begin(task, .cancel))
        case .suspend, .resume, .cancel, .cancelKeeping, .change, .begin, .answer: return nil
        }
    }
}

/// The state of a session at the time that this process opens it.
package struct OpenedSession: Sendable {
    /// The identifier of the next new task. The identifier is higher than the identifiers of all tasks that the session
    /// ever had.
    package var nextTask: Int
    /// The unfinished tasks, and the ended tasks whose events have not been acknowledged.
    package var tasks: [TaskSnapshot]
    /// The events of the session. Events that waited for this process come first.
    package var events: AsyncStream<SessionEvent>
    /// The absolute path of the folder for the files of named tasks. `nil` if the service names none.
    package var namedFilesFolder: String?

    /// Creates the state from its parts.
    package init(
        nextTask: Int, tasks: [TaskSnapshot], events: AsyncStream<SessionEvent>, namedFilesFolder: String? = nil
    ) {
        self.nextTask = nextTask
        self.tasks = tasks
        self.events = events
        self.namedFilesFolder = namedFilesFolder
    }
}
