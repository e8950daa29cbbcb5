// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import TransferBusProtocol

/// This process's connection to the bus, on a thread of its own, and the sessions that go over it.
actor DaemonLink {
    /// Something to be done with a connection, or with the reason why there is none.
    typealias BusUse = (isolated DaemonLink, Result<BusConnection, GLibError>) -> Void

    let executor = GLibExecutor(name: "transfer-link")
    let options: DaemonChannel.Options
    var bus: BusConnection?
    /// How many connections there have been.
    private var connections = 0
    private var connecting: [BusUse] = []
    private var registrations: [BusRegistration] = []
    var serials = 0
    /// Whether a person works with this program, as was said or answered last; nil before the first session.
    var isInFront: Bool?
    var sessions: [String: LinkedSession] = [:]
    /// The name that this program has, and what is called by it.
    var served: (name: String, handle: @Sendable (String) -> Void)?
    var serving: [BusRegistration] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: DaemonChannel.Options) { self.options = options }

    /// Does something after what was asked before.
    nonisolated func perform(_ body: @escaping @Sendable (isolated DaemonLink) -> Void) {
        executor.perform { self.assumeIsolated { body($0) } }
    }

    // MARK: The bus

    /// Runs `body` with a connection, which is made where there is none.
    func withBus(_ body: @escaping BusUse) {
        if let bus { return body(self, .success(bus)) }
        connecting.append(body)
        guard connecting.count == 1 else { return }
        BusConnection.open(address: options.address() ?? "", cancellation: Cancellation()) { result in
            // Made on this actor's own thread, for it alone.
            nonisolated(unsafe) let result = result
            self.assumeIsolated { $0.connected(result) }
        }
    }

    private func connected(_ result: Result<BusConnection, GLibError>) {
        if case .success(let bus) = result { use(bus) }
        let waiting = connecting
        connecting = []
        for body in waiting { body(self, result) }
    }

    private func use(_ bus: BusConnection) {
        self.bus = bus
        connections += 1
        // The end of a connection that was left does not concern the next one.
        let number = connections
        bus.onClosed {
            self.assumeIsolated { link in
                if link.connections == number { link.busClosed() }
            }
        }
        registrations = [
            bus.subscribe(toAll: "Event", of: TransferBusName.sessionInterface, sender: TransferBusName.service) {
                path, values in self.assumeIsolated { $0.take(values.first?.dictionary ?? [:], from: path) }
            },
            bus.watchName(TransferBusName.service, startingIt: false) { owner in
                if owner == nil { self.assumeIsolated { $0.daemonGone() } }
            },
        ]
        if let served { offer(served.name, served.handle, on: bus) { _ in } }
    }

    /// Leaves the bus as the process's end would: the daemon forgets who had the sessions, and nobody hears of them here.
    func leave() {
        for identifier in sessions.keys.sorted() {
            sessions.removeValue(forKey: identifier)?.events.finish()
        }
        registrations = []
        serving = []
        connections += 1
        bus?.close()
        bus = nil
    }

    private func busClosed() {
        registrations = []
        serving = []
        bus = nil
        daemonGone()
    }

    func daemonGone() {
        for identifier in sessions.keys.sorted() {
            guard case .open? = sessions[identifier]?.phase else { continue }
            lose(identifier, because: "it is gone")
        }
    }
}
