// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
internal import TransferModel

/// The state of one of this process's sessions in the link to the daemon.
struct LinkedSession {
    /// The phases of the connection to the daemon.
    enum Phase {
        /// The session is being opened, for the first time or again.
        case opening
        /// The daemon has opened the session. Calls go to the object at this path.
        case open(path: String)
        /// The session waits to be opened again.
        case lost(retry: GLibSource?)
    }

    /// A number that distinguishes the session from earlier sessions of this process with the same identifier.
    let serial: Int
    let settings: SessionSettings
    var options: OpeningOptions
    let events: AsyncStream<SessionEvent>.Continuation
    var phase = Phase.opening
    /// Receives the result of the first opening. `nil` from then on.
    var opened: (@Sendable (Result<SessionState, SessionError>) -> Void)?
    /// The calls without a reply of the daemon, in order. The first call may be in progress.
    var calls: [SessionCall] = []
    var isCalling = false
    /// The number of times that the daemon was lost. Replies to calls from an earlier epoch are ignored.
    var epoch = 0
    var deduplicator = EventDeduplicator()
    var tasks = OpenTaskRegistry()
    var backoff = ReconnectBackoff()
    /// The events that wait, in order, until a file of the session has been fetched. `nil` if no file is being
    /// fetched.
    var delayed: [SessionEvent]?

    /// The backoff since the daemon stopped responding.
    struct ReconnectBackoff {
        private(set) var since: ContinuousClock.Instant?
        private var pause = Duration.zero
        private static let first = Duration.milliseconds(100)
        private static let longest = Duration.seconds(10)

        /// Records a failure.
        ///
        /// - Returns: The pause before the next attempt, or `nil` if the failures have lasted longer than the limit.
        mutating func recordFailure(at now: ContinuousClock.Instant, limit: Duration) -> Duration? {
            let since = since ?? now
            self.since = since
            guard now + pause - since < limit else { return nil }
            defer { pause = min(max(pause * 2, Self.first), Self.longest) }
            return pause
        }

        /// Resets the backoff after a success.
        mutating func end() { self = ReconnectBackoff() }
    }

    init(
        serial: Int, settings: SessionSettings, options: OpeningOptions,
        events: AsyncStream<SessionEvent>.Continuation, calls: [SessionCall],
        opened: @escaping @Sendable (Result<SessionState, SessionError>) -> Void
    ) {
        self.serial = serial
        self.settings = settings
        self.options = options
        self.events = events
        self.calls = calls
        self.opened = opened
    }
}

/// The tasks of a session whose end this process waits for. If the daemon has lost its queue, only this process knows
/// of them.
struct OpenTaskRegistry {
    private var open: Set<Int> = []

    /// Compares the tasks with the daemon's after the session was opened, for the first time or again.
    ///
    /// - Returns: The tasks that the daemon had and no longer has although it reported no end, sorted by number. Each
    ///   is returned once.
    mutating func receive(_ state: SessionState) -> [Int] {
        let gone = open.subtracting(state.tasks.map(\.identifier))
        // The ends of finished tasks are reported anyway, because waiting events come first.
        open = Set(state.tasks.filter { !$0.isEnded }.map(\.identifier))
        return gone.sorted()
    }

    /// Records that the daemon has accepted a task.
    mutating func begin(_ task: Int) { open.insert(task) }

    /// Records that the end of a task was reported.
    mutating func end(_ task: Int) { open.remove(task) }
}

extension FailureDescription {
    /// The failure of a task that the daemon has lost: its queue was damaged or removed.
    static let lost = FailureDescription(
        // `URLError.backgroundSessionWasDisconnected`, the error that Apple's platforms report in this case.
        code: -997,
        message: "The transfer service has lost its queue, and this task with it. Start the task again.")
}

/// The deduplicator for a session's events, which arrive again after a restart of the daemon.
struct EventDeduplicator {
    /// The action to take for an event that arrives.
    enum Decision: Hashable {
        case deliver
        /// The program has received the event and has not acknowledged it yet.
        case drop
        /// The program has acknowledged the event, but the daemon does not know that.
        case acknowledgeAgain
    }

    /// The highest number so far. Events arrive in the order of their numbers.
    private var last: EventNumber = -1
    private var unacknowledged: Set<EventNumber> = []

    /// Records an event and returns the action to take. An event without a number is always reported.
    mutating func receive(_ number: EventNumber?) -> Decision {
        guard let number else { return .deliver }
        guard number <= last else {
            last = number
            unacknowledged.insert(number)
            return .deliver
        }
        return unacknowledged.contains(number) ? .drop : .acknowledgeAgain
    }

    /// Records that the program has acknowledged an event.
    mutating func acknowledge(_ number: EventNumber) { unacknowledged.remove(number) }
}
