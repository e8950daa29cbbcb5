// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
internal import TransferModel

/// A session of this process, as its way to the daemon has it.
struct LinkedSession {
    /// How it stands with the daemon.
    enum Phase {
        /// Being opened, the first time or again.
        case opening
        /// The daemon has it; calls go to that object.
        case open(path: String)
        /// Waiting to be opened again.
        case lost(retry: GLibSource?)
    }

    /// Tells it from one of the same identifier that this process had before.
    let serial: Int
    let settings: SessionSettings
    var options: OpeningOptions
    let events: AsyncStream<SessionEvent>.Continuation
    var phase = Phase.opening
    /// Told how the first opening went; nil from then on.
    var opened: (@Sendable (Result<SessionState, SessionError>) -> Void)?
    /// What the daemon has not answered, in order; of the first one the call may be on its way.
    var calls: [SessionCall] = []
    var isCalling = false
    /// Rises when the daemon is lost: answers to calls from before count no longer.
    var epoch = 0
    var ledger = EventLedger()
    var tasks = TaskLedger()
    var trouble = Trouble()
    /// Events that wait until a file of the session was fetched, in their order; nil while none is.
    var delayed: [SessionEvent]?

    /// How long the daemon has been giving trouble.
    struct Trouble {
        private(set) var since: ContinuousClock.Instant?
        private var pause = Duration.zero
        private static let first = Duration.milliseconds(100)
        private static let longest = Duration.seconds(10)

        /// One more thing went wrong.
        ///
        /// - Returns: how long is waited before the next attempt; nil where it has lasted too long for one.
        mutating func note(at now: ContinuousClock.Instant, limit: Duration) -> Duration? {
            let since = since ?? now
            self.since = since
            guard now + pause - since < limit else { return nil }
            defer { pause = min(max(pause * 2, Self.first), Self.longest) }
            return pause
        }

        /// It is over.
        mutating func end() { self = Trouble() }
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
