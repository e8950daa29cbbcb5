// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Follows the UPower daemon through absence, late starts, hangs, exits, and restarts.
///
/// Each lifetime of the daemon gets its own client, created only after the daemon has replied to a query. A hang is
/// detected when the kernel announces a change of power. The daemon is then queried, and counts as silent after the
/// time limit. The query stays pending, so that the daemon's recovery is noticed without another query.
final class UPowerWatch {
    private enum State {
        /// The daemon's name has no owner, or there is no bus.
        case absent
        /// The daemon was queried; no client exists.
        case queried
        /// A client is being created.
        case opening(Cancellation)
        /// The client works.
        case open
    }

    private let executor: GLibExecutor
    private let client: UPowerClientReader
    private let timeLimit: UInt32
    private let deliver: (Availability<UPowerProperties>) -> Void

    private var bus: BusConnection?
    private var nameWatch: BusRegistration?
    private var state = State.absent
    private var generation = 0
    private var isSilent = false
    private var pendingQuery: Cancellation?
    private var limit: GLibSource?

    init(
        on executor: GLibExecutor, client: UPowerClientReader, timeLimit: Duration,
        deliver: @escaping (Availability<UPowerProperties>) -> Void
    ) {
        self.executor = executor
        self.client = client
        self.timeLimit = timeLimit.timerMilliseconds
        self.deliver = deliver
    }

    /// Starts following the daemon on a bus. The bus starts the daemon if it can.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        nameWatch = bus.watchName("org.freedesktop.UPower", startsService: true) { owner in
            self.reset()
            guard owner != nil else { return self.deliver(.absent) }
            self.state = .queried
            self.ask()
        }
    }

    /// Releases the bus.
    func detach() {
        nameWatch = nil
        reset()
        bus = nil
    }

    /// Checks whether the daemon still replies, after the kernel has announced a change of power.
    func checkResponse() {
        if case .open = state { ask() }
    }

    /// Receives a message from the client's thread.
    func receive(_ message: UPowerClientReader.Message) {
        guard message.generation == generation else { return }
        switch state {
        case .absent, .queried: return
        case .opening:
            limit = nil
            guard let properties = message.properties else {
                // The daemon replied a moment ago and then did not. It exited, or cannot serve this client.
                state = .queried
                return deliver(.absent)
            }
            state = .open
            isSilent = false
            deliver(.value(properties))
        case .open:
            // A pending query means that its time limit may be running. A reading counts as a reply as well.
            deliver(message.properties.map { .value($0) } ?? .absent)
        }
    }

    private func reset() {
        generation += 1
        if case .opening(let cancellation) = state { cancellation.cancel() }
        state = .absent
        isSilent = false
        pendingQuery?.cancel()
        pendingQuery = nil
        limit = nil
        client.close()
    }

    private func ask() {
        guard pendingQuery == nil, let bus else { return }
        let cancellation = Cancellation()
        pendingQuery = cancellation
        limit = executor.after(milliseconds: timeLimit) {
            self.isSilent = true
            self.deliver(.silent)
        }
        bus.property(
            "OnBattery", of: "org.freedesktop.UPower", at: "/org/freedesktop/UPower",
            service: "org.freedesktop.UPower", cancellation: cancellation
        ) { [weak self, weak cancellation] _ in
            guard let self, let cancellation, pendingQuery === cancellation else { return }
            pendingQuery = nil
            handleReply()
        }
    }

    /// Handles a reply to the query. Even an error counts as a reply, because the values are read through the
    /// client.
    private func handleReply() {
        limit = nil
        switch state {
        case .absent, .opening: return
        case .open:
            // If the reply came in time, the client has reported, or will report, every change.
            if isSilent { client.refresh() }
            isSilent = false
        case .queried:
            let cancellation = Cancellation()
            state = .opening(cancellation)
            limit = executor.after(milliseconds: timeLimit) {
                cancellation.cancel()
                self.generation += 1
                self.state = .queried
                self.deliver(.silent)
                self.ask()
            }
            client.open(generation: generation, cancellation: cancellation)
        }
    }
}
