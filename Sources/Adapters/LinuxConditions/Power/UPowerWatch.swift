// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Follows the UPower daemon through its lives: absent, started late, hanging, dead and back.
///
/// A client is made for each life of the daemon, and only once the daemon has answered a question. A daemon that hangs
/// is found out when the kernel speaks of power: it is asked then, and counts as silent when its time is up. The
/// question stays open, so that the daemon's coming round is noticed without asking again.
final class UPowerWatch {
    private enum State {
        /// Nobody owns the name, or there is no bus.
        case absent
        /// It was asked whether it answers; no client exists.
        case asked
        /// A client is being made.
        case opening(Cancellation)
        /// The client works.
        case open
    }

    private let executor: GLibExecutor
    private let client: UPowerClientReader
    private let timeLimit: UInt32
    private let deliver: (Answer<UPowerProperties>) -> Void

    private var bus: BusConnection?
    private var nameWatch: BusRegistration?
    private var state = State.absent
    private var generation = 0
    private var isSilent = false
    private var question: Cancellation?
    private var limit: GLibSource?

    init(
        on executor: GLibExecutor, client: UPowerClientReader, timeLimit: Duration,
        deliver: @escaping (Answer<UPowerProperties>) -> Void
    ) {
        self.executor = executor
        self.client = client
        self.timeLimit = timeLimit.timerMilliseconds
        self.deliver = deliver
    }

    /// Follows the daemon on a bus, starting it where the bus can.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        nameWatch = bus.watchName("org.freedesktop.UPower", startingIt: true) { owner in
            self.letGo()
            guard owner != nil else { return self.deliver(.absent) }
            self.state = .asked
            self.ask()
        }
    }

    /// Lets go of the bus.
    func detach() {
        nameWatch = nil
        letGo()
        bus = nil
    }

    /// The kernel spoke of power: asks whether the daemon still answers.
    func doubt() {
        if case .open = state { ask() }
    }

    /// Takes what the client's thread tells.
    func receive(_ message: UPowerClientReader.Message) {
        guard message.generation == generation else { return }
        switch state {
        case .absent, .asked: return
        case .opening:
            limit = nil
            guard let properties = message.properties else {
                // It answered a moment ago and then did not: either it went away, or it cannot serve us.
                state = .asked
                return deliver(.absent)
            }
            state = .open
            isSilent = false
            deliver(.value(properties))
        case .open:
            // An open question means that its time may be running; a reading answers that as well.
            deliver(message.properties.map { .value($0) } ?? .absent)
        }
    }

    private func letGo() {
        generation += 1
        if case .opening(let cancellation) = state { cancellation.cancel() }
        state = .absent
        isSilent = false
        question?.cancel()
        question = nil
        limit = nil
        client.close()
    }

    private func ask() {
        guard question == nil, let bus else { return }
        let cancellation = Cancellation()
        question = cancellation
        limit = executor.after(milliseconds: timeLimit) {
            self.isSilent = true
            self.deliver(.silent)
        }
        bus.property(
            "OnBattery", of: "org.freedesktop.UPower", at: "/org/freedesktop/UPower",
            service: "org.freedesktop.UPower", cancellation: cancellation
        ) { [weak self, weak cancellation] _ in
            guard let self, let cancellation, question === cancellation else { return }
            question = nil
            answered()
        }
    }

    /// Any answer will do, an error too: what it says is read through the client.
    private func answered() {
        limit = nil
        switch state {
        case .absent, .opening: return
        case .open:
            // In time: then its client has told, or will tell, all that changes.
            if isSilent { client.refresh() }
            isSilent = false
        case .asked:
            let cancellation = Cancellation()
            state = .opening(cancellation)
            limit = executor.after(milliseconds: timeLimit) {
                cancellation.cancel()
                self.generation += 1
                self.state = .asked
                self.deliver(.silent)
                self.ask()
            }
            client.open(generation: generation, cancellation: cancellation)
        }
    }
}
