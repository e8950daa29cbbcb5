// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import TransferBusProtocol

/// The connection of this process to the bus, on its own thread, and the sessions that use the connection.
actor DaemonLink {
    /// An action that receives a connection, or the reason that there is none.
    typealias ConnectionHandler = (isolated DaemonLink, Result<BusConnection, GLibError>) -> Void

    let executor = GLibExecutor(name: "transfer-link")
    let options: DaemonChannel.Options
    var bus: BusConnection?
    /// The number of connections made so far.
    private var connections = 0
    private var connecting: [ConnectionHandler] = []
    private var registrations: [BusRegistration] = []
    var serials = 0
    /// Whether the user is working with this program, as last set or reported. `nil` before the first session.
    var isInFront: Bool?
    var sessions: [String: LinkedSession] = [:]
    /// The bus name of this program, and the handler for calls to it.
    var served: (name: String, handle: @Sendable (String) -> Void)?
    var nameRegistrations: [BusRegistration] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: DaemonChannel.Options) { self.options = options }

    /// Runs an action after the actions that were requested before it.
    nonisolated func perform(_ body: @escaping @Sendable (isolated DaemonLink) -> Void) {
        executor.perform { self.assumeIsolated { body($0) } }
    }

    // MARK: The bus

    /// Runs `body` with a connection. Connects first if there is no connection.
    func withBus(_ body: @escaping ConnectionHandler) {
        if let bus { return body(self, .success(bus)) }
        connecting.append(body)
        guard connecting.count == 1 else { return }
        BusConnection.open(address: options.address() ?? "", cancellation: Cancellation()) { result in
            // Created on this actor's own thread, for this actor alone.
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
        // The closing of an abandoned connection must not affect the next connection.
        let number = connections
        bus.onClosed {
            self.assumeIsolated { link in
                if link.connections == number { link.busClosed() }
            }
        }
        registrations = [
            bus.subscribe(toAll: "Event", of: TransferBusName.sessionInterface, sender: TransferBusName.service) {
                path, values in self.assumeIsolated { $0.receive(values.first?.dictionary ?? [:], from: path) }
            },
            bus.watchName(TransferBusName.service, startsService: false) { owner in
                if owner == nil { self.assumeIsolated { $0.daemonGone() } }
            },
        ]
        if let served { export(served.name, served.handle, on: bus) { _ in } }
    }

    /// Disconnects from the bus as the process's end would. The daemon forgets that this process had the sessions,
    /// and their event streams finish.
    func leave() {
        for identifier in sessions.keys.sorted() {
            sessions.removeValue(forKey: identifier)?.events.finish()
        }
        registrations = []
        nameRegistrations = []
        connections += 1
        bus?.close()
        bus = nil
    }

    private func busClosed() {
        registrations = []
        nameRegistrations = []
        bus = nil
        daemonGone()
    }

    func daemonGone() {
        for identifier in sessions.keys.sorted() {
            guard case .open? = sessions[identifier]?.phase else { continue }
            handleLoss(identifier, because: "it has stopped")
        }
    }
}
