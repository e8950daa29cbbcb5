// SPDX-License-Identifier: Apache-2.0
package import GLibBridge

/// Offers a `TransferService` on the session bus: routes calls, knows who calls, tells watchers what changes.
package actor BusServer {
    /// Why there is no server, or no longer one.
    package enum End: Hashable, Sendable {
        /// The bus cannot be reached, or has gone.
        case noBus(String)
        /// Another process has the name.
        case nameTaken
        /// Somebody asked for it.
        case stopped
    }

    private let executor = GLibExecutor(name: "transfer-bus")
    private let service: any TransferService
    private var bus: BusConnection?
    private var registrations: [BusRegistration] = []
    private var callers: [String: BusCaller] = [:]
    private var watchers: [String: BusCaller] = [:]
    private var end: End?
    private var waiting: [CheckedContinuation<End, Never>] = []
    private var onReady: CheckedContinuation<Void, any Error>?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// A message larger than this is refused: some ten thousand transfers with long URLs.
    package static let mostBytes = 16 << 20

    /// A server over `service`; nothing is offered before `start`.
    package init(service: any TransferService) { self.service = service }

    /// Connects, offers the objects, then takes the name, so that nobody finds the name without them.
    ///
    /// - Throws: `BusServerError` that says what is wrong and what to do.
    package func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            onReady = continuation
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                // Made on this actor's own thread, for it alone.
                nonisolated(unsafe) let result = result
                self.assumeIsolated { server in
                    switch result {
                    case .success(let bus): server.offer(on: bus)
                    case .failure(let error):
                        server.finish(.noBus(error.message))
                    }
                }
            }
        }
    }

    private func offer(on bus: BusConnection) {
        self.bus = bus
        bus.onClosed { self.assumeIsolated { $0.finish(.noBus("the bus has gone")) } }
        do {
            registrations.append(
                try bus.offer(
                    TransferBusName.managerInterface, describedBy: ManagerInterface.xml,
                    at: TransferBusName.managerPath
                ) { call in self.assumeIsolated { $0.take(call) } })
        } catch {
            return finish(.noBus("\(error)"))
        }
        // A caller that goes away watches nothing any more, and its name is never another's.
        registrations.append(
            bus.subscribe(
                to: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                sender: "org.freedesktop.DBus"
            ) { values in
                guard values.count == 3, let name = values[0].string, values[2].string == "" else { return }
                self.assumeIsolated { $0.forget(name) }
            })
        registrations.append(
            bus.own(TransferBusName.service) { isOurs in
                self.assumeIsolated { server in
                    guard isOurs else { return server.finish(.nameTaken) }
                    server.onReady?.resume()
                    server.onReady = nil
                }
            })
    }

    private func finish(_ end: End) {
        guard self.end == nil else { return }
        self.end = end
        registrations = []
        onReady?.resume(throwing: BusServerError(end: end))
        onReady = nil
        for continuation in waiting { continuation.resume(returning: end) }
        waiting = []
    }

    /// Waits until the server is stopped, or the bus or the name is lost.
    package func ended() async -> End {
        if let end { return end }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives the name back and lets go of the bus; what is told from now on goes nowhere.
    package func stop() {
        finish(.stopped)
        bus?.flush()
        bus?.close()
        bus = nil
    }

    /// Ends the server's thread: the last thing that is asked of it, since nothing runs on it any more.
    package nonisolated func letGo() async { await executor.stop() }

    private func forget(_ name: String) {
        callers[name] = nil
        watchers[name] = nil
    }

    // MARK: Calls

    private func take(_ call: BusCall) {
        guard call.size <= Self.mostBytes else {
            return call.fail(
                BusFault(
                    .messageTooLarge,
                    "the message has \(call.size) bytes, more than \(Self.mostBytes); hand over fewer at a time"))
        }
        if let caller = callers[call.sender] { return answer(call, from: caller) }
        guard let bus else { return }
        do {
            try bus.call(
                "GetConnectionUnixProcessID", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                service: "org.freedesktop.DBus", [.string(call.sender)], type: "(s)", milliseconds: 10_000
            ) { result in
                self.assumeIsolated { $0.met(call, process: (try? result.get())?.first?.integer) }
            }
        } catch {
            call.fail(BusFault(.accessDenied, "nobody can say who calls: \(error)"))
        }
    }

    private func met(_ call: BusCall, process: Int64?) {
        guard let caller = process.flatMap({ BusCaller.identify(name: call.sender, process: $0) }) else {
            return call.fail(
                BusFault(.accessDenied, "nobody can say who calls; it has to be a process of this machine"))
        }
        callers[call.sender] = caller
        answer(call, from: caller)
    }

    private func answer(_ call: BusCall, from caller: BusCaller) {
        switch call.method {
        case "Watch" where call.interface == TransferBusName.managerInterface:
            watchers[caller.name] = caller
            return call.reply([])
        case "Unwatch" where call.interface == TransferBusName.managerInterface:
            watchers[caller.name] = nil
            return call.reply([])
        default: break
        }
        let service = service
        // Calls of one caller may be answered in another order than they came: each waits for its own saving only.
        Task {
            do {
                call.reply(try await ManagerCalls(service: service, caller: caller).answer(call))
            } catch let fault as BusFault {
                call.fail(fault)
            } catch {
                call.fail(BusFault(.storeFailed, "\(error)"))
            }
        }
    }

    // MARK: Signals

    /// Tells those who watch, and may reach the transfer, how it stands.
    package func tell(_ status: TransferStatus) {
        guard let bus, !watchers.isEmpty else { return }
        for watcher in watchers.values where watcher.isPerson || watcher.app == status.app {
            // One who has just gone misses nothing.
            try? bus.emit(
                "Changed", of: TransferBusName.managerInterface, at: TransferBusName.managerPath, to: watcher.name,
                [.dictionary(status.fields)], type: "(a{sv})")
        }
    }

    /// Tells all who listen that properties of the manager have other values.
    package func tellChanged(_ properties: [String: VariantValue]) {
        try? bus?.emit(
            "PropertiesChanged", of: "org.freedesktop.DBus.Properties", at: TransferBusName.managerPath, to: nil,
            [.string(TransferBusName.managerInterface), .dictionary(properties), .list([])], type: "(sa{sv}as)")
    }
}

/// Why the daemon cannot be on the bus.
package struct BusServerError: Error, Hashable, CustomStringConvertible {
    /// What happened.
    package var end: BusServer.End

    /// An error.
    package init(end: BusServer.End) { self.end = end }

    package var description: String {
        switch end {
        case .noBus(let why):
            "the bus cannot be used: \(why). Check DBUS_SESSION_BUS_ADDRESS, or name a bus with --bus."
        case .nameTaken:
            "another process is \(TransferBusName.service) on this bus already; 'transferctl service status' tells which"
        case .stopped: "the daemon is on its way out"
        }
    }
}

extension BusCall {
    /// Answers with an error of the daemon's.
    fileprivate func fail(_ fault: BusFault) { fail(fault.name, fault.message) }
}
