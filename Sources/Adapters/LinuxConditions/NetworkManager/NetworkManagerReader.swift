// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferPolicy

/// Follows NetworkManager through its lives.
///
/// Signals are hints; each makes one reading of all properties, and hints that come meanwhile make one more. A proxy
/// would miss the properties for good when it asks in the moment between NetworkManager's taking its name and its
/// exporting its object. A reading has no time limit on the bus: when it takes too long NetworkManager counts as silent
/// until the answer comes after all.
final class NetworkManagerReader {
    private let executor: GLibExecutor
    private let timeLimit: UInt32
    private let deliver: (Answer<NetworkManagerReading>) -> Void

    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var isPresent = false
    private var reading: Cancellation?
    private var isHintWaiting = false
    private var limit: GLibSource?
    private var knownID: (path: String, id: String)?

    init(
        on executor: GLibExecutor, timeLimit: Duration,
        deliver: @escaping (Answer<NetworkManagerReading>) -> Void
    ) {
        self.executor = executor
        self.timeLimit = timeLimit.timerMilliseconds
        self.deliver = deliver
    }

    /// Follows NetworkManager on a bus.
    func attach(to bus: BusConnection) {
        self.bus = bus
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        registrations = [
            bus.subscribe(
                sender: name, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
                path: objectPath, firstArgument: name
            ) { self.refresh() },
            bus.subscribe(
                sender: name, interface: "org.freedesktop.DBus.ObjectManager", member: "InterfacesAdded",
                path: "/org/freedesktop", firstArgument: objectPath, isFirstArgumentPath: true
            ) { self.refresh() },
            bus.watchName(name, startingIt: false) { owner in
                self.letGo()
                guard owner != nil else { return self.deliver(.absent) }
                self.isPresent = true
                self.refresh()
            },
        ]
    }

    /// Lets go of the bus.
    func detach() {
        registrations = []
        letGo()
        bus = nil
    }

    /// Reads again: something may have changed, or NetworkManager may have stopped answering.
    func refresh() {
        guard isPresent, let bus else { return }
        guard reading == nil else {
            isHintWaiting = true
            return
        }
        let cancellation = Cancellation()
        reading = cancellation
        limit = executor.after(milliseconds: timeLimit) { self.deliver(.silent) }
        bus.properties(of: name, at: objectPath, service: name, cancellation: cancellation) {
            [weak self, weak cancellation] result in
            guard let self, let cancellation, reading === cancellation else { return }
            // An error is the moment before the object exists: InterfacesAdded will tell, or the time limit.
            guard case .success(let properties) = result else { return finish(nil) }
            nameConnection(NetworkManagerReading(properties: properties), cancellation)
        }
    }

    /// Adds the connection's name, which is asked for once a connection.
    private func nameConnection(_ reading: NetworkManagerReading, _ cancellation: Cancellation) {
        var reading = reading
        guard let path = reading.primaryConnection, let bus else { return finish(reading) }
        if let knownID, knownID.path == path {
            reading.connectionID = knownID.id
            return finish(reading)
        }
        bus.property(
            "Id", of: "\(name).Connection.Active", at: path, service: name, cancellation: cancellation
        ) { [weak self, weak cancellation] result in
            guard let self, let cancellation, self.reading === cancellation else { return }
            if case .success(.string(let id)) = result {
                knownID = (path, id)
                reading.connectionID = id
            }
            finish(reading)
        }
    }

    private func finish(_ result: NetworkManagerReading?) {
        reading = nil
        if let result {
            limit = nil
            deliver(.value(result))
        }
        guard isHintWaiting else { return }
        isHintWaiting = false
        refresh()
    }

    private func letGo() {
        isPresent = false
        reading?.cancel()
        reading = nil
        isHintWaiting = false
        limit = nil
        knownID = nil
    }
}

private let name = "org.freedesktop.NetworkManager"
private let objectPath = "/org/freedesktop/NetworkManager"
