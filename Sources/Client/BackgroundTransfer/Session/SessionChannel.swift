// SPDX-License-Identifier: Apache-2.0
internal import Glibc
internal import Synchronization
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

/// An open file descriptor that is closed when its owner is released.
package final class OpenFile: Sendable {
    package let number: Int32

    /// Takes ownership of an open descriptor.
    init(taking number: Int32) { self.number = number }

    /// Opens a file for reading. Returns `nil` if the file cannot be opened. A pipe does not block the caller.
    package init?(_ path: String) {
        number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { return nil }
    }

    deinit { close(number) }
}

/// The channel that new background sessions of this process use.
package enum SessionChannels {
    private static let chosen = Mutex<(any SessionChannel)?>(nil)

    /// Sets the channel for sessions that are created from now on. `nil` restores the default, the daemon's channel.
    package static func use(_ channel: (any SessionChannel)?) { chosen.withLock { $0 = channel } }

    /// The chosen channel, or `nil` if none has been chosen yet.
    static var chosenChannel: (any SessionChannel)? { chosen.withLock { $0 } }

    /// Returns the chosen channel. If none was chosen, chooses the daemon's channel from now on.
    static func current() -> any SessionChannel {
        chosen.withLock { chosen in
            let channel = chosen ?? DaemonChannel.shared
            chosen = channel
            return channel
        }
    }
}
