// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
package import TransferModel
import TransferPolicy
import TransferSessions

/// Offers a service on the session bus: has calls answered and changes told by its parts, which share its connection and its
/// thread.
package actor BusServer {
    /// The reason for which there is no server, or no longer one.
    package enum End: Hashable, Sendable {
        /// The bus cannot be reached, or has gone.
        case noBus(String)
        /// Another process has the name.
        case nameTaken
        /// Somebody asked for it.
        case stopped
    }

    private let executor: GLibExecutor
    private let service: any ExportedService
    let connection: ServerConnection
    private let names: NameOwners
    private let callers: CallerRegistry
    private let desktops: DesktopWindows
    private let signals: ChangeSignals
    let sessions: SessionCallers
    let calls: CallDispatcher
    private var registrations: [BusRegistration] = []
    private var end: End?
    private var waiting: [CheckedContinuation<End, Never>] = []
    private var onReady: CheckedContinuation<Void, any Error>?
    private let readiness = DispatchGroup()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` on the server's thread, after what was asked before.
    nonisolated func perform(_ body: @escaping @Sendable (isolated BusServer) -> Void) {
        executor.perform { self.assumeIsolated { body($0) } }
    }

    /// A server over `service`; nothing is offered before `start`, and nothing answered before `serve`.
    package init(service: any ExportedService, programs: BusPrograms = BusPrograms()) {
        self.service = service
        executor = programs.executor
        let connection = ServerConnection(lendingTo: programs)
        let names = NameOwners(over: connection)
        let callers = CallerRegistry(over: connection, names: names, launched: programs.launched) {
            service.trustedSandboxes
        }
        let desktops = DesktopWindows(over: connection, names: names, callers: callers, telling: service.sessions)
        names.onOwner = { [weak desktops] in desktops?.note($0, of: $1) }
        let sessions = SessionCallers(over: connection, names: names, programs: programs, of: service.sessions)
        let signals = ChangeSignals(over: connection, of: service)
        calls = CallDispatcher(
            over: connection, to: service, callers: callers, signals: signals, sessions: sessions)
        (self.connection, self.names, self.callers, self.desktops) = (connection, names, callers, desktops)
        (self.signals, self.sessions) = (signals, sessions)
        readiness.enter()
    }

    /// The service will never be ready: ends, so that nobody is kept waiting. To be called once, instead of `serve`.
    package nonisolated func abandon() {
        readiness.leave()
        perform { $0.stop() }
    }

    /// The service is ready: what was asked before is answered now. To be called once.
    package nonisolated func serve() {
        readiness.leave()
        perform { $0.calls.answerEarly(on: $0) }
    }

    /// Connects, offers the objects, then takes the name, so that nobody finds the name without them.
    ///
    /// - Throws: `BusServerError` that says what is wrong and what to do.
    package func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            onReady = continuation
            BusConnection.open(address: address, cancellation: Cancellation()) { result in
                switch result {
                case .success(let bus): self.offer(on: bus)
                case .failure(let error): self.finish(.noBus(error.message))
                }
            }
        }
    }

    private func offer(on bus: BusConnection) {
        connection.bus = bus
        bus.onClosed { self.finish(.noBus("the bus has gone")) }
        let flow = BusFlow(
            refusals: BusFlow.Refusals(
                tooLarge: BusFault(.messageTooLarge, "").name, tooMany: BusFault(.limitExceeded, "").name)
        ) { name in self.perform { $0.askToConfirm(name) } }
        connection.flow = flow
        registrations.append(bus.limit(by: flow))
        do {
            try offerObjects(on: bus, flow)
        } catch {
            return finish(.noBus("\(error)"))
        }
        registrations.append(
            bus.subscribe(
                to: "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                sender: "org.freedesktop.DBus"
            ) { values in
                let texts = values.compactMap(\.string)
                guard texts.count == 3 else { return }
                self.note(name: texts[0], from: texts[1], to: texts[2])
            })
        names.learnAll()
        registrations.append(
            bus.own(TransferBusName.service) { isOurs in
                guard isOurs else { return self.finish(.nameTaken) }
                self.onReady?.resume()
                self.onReady = nil
            })
    }

    private func offerObjects(on bus: BusConnection, _ flow: BusFlow) throws {
        registrations.append(
            try bus.offer(
                TransferBusName.managerInterface, describedBy: ManagerInterface.xml, at: TransferBusName.managerPath,
                flow: flow
            ) { self.calls.take($0, on: self) })
        let transfers = BusTree(
            path: TransferBusName.transfersPath, interface: TransferBusName.transferInterface, xml: TransferObject.xml
        ) { sender in
            self.callerAtOnce(sender).map(self.service.unfinishedTransfers)?.map { "\($0.rawValue)" } ?? []
        }
        let sessions = BusTree(
            path: TransferBusName.sessionsPath, interface: TransferBusName.sessionInterface, xml: SessionObject.xml
        ) { sender in
            self.callerAtOnce(sender).map(self.service.unfinishedSessions)?.map(\.node) ?? []
        }
        for tree in [transfers, sessions] {
            registrations.append(try bus.offer(tree, flow: flow) { self.calls.take($0, on: self) })
        }
    }

    /// The caller who asks which objects there are. GDBus wants the list at once, and half of it is worse than a moment's wait.
    private func callerAtOnce(_ sender: String) -> BusCaller? {
        readiness.wait()
        return callers.identifyAtOnce(sender)
    }

    /// A name came, went or changed hands. A caller that goes away watches nothing any more, and its unique name is never
    /// another's.
    private func note(name: String, from old: String, to new: String) {
        guard name.hasPrefix(":") else {
            desktops.forget(name)
            return names.change(name, from: old, to: new)
        }
        guard new.isEmpty else { return }
        callers.forget(name)
        signals.forget(name)
        calls.forget(name)
        connection.flow?.forget(name)
        names.forget(owner: name)
        sessions.forget(name)
    }

    /// Asks a caller to show that it reads, and goes on with what waits for that.
    private func askToConfirm(_ name: String) {
        connection.ping(name) {
            guard self.connection.flow?.confirm(name) == true else { return }
            self.calls.resume(name, on: self)
            self.signals.catchUp(name, as: self.callers[name], on: self)
        }
    }

    /// Forgets how programs in sandboxes were classified: a person has admitted one, or does so no longer.
    package nonisolated func reclassify() { perform { $0.callers.forgetClassifications() } }

    private func finish(_ end: End) {
        guard self.end == nil else { return }
        self.end = end
        registrations = []
        desktops.forgetAll()
        connection.flow = nil
        onReady?.resume(throwing: BusServerError(end: end))
        onReady = nil
        for continuation in waiting { continuation.resume(returning: end) }
        waiting = []
    }

    /// Tells those who watch, and may reach the transfer, how it stands, and those who have read its properties.
    package func tell(_ status: TransferStatus) { signals.tell(status, on: self) }

    /// Tells those who watch what the machine is like.
    package func tell(_ conditions: Conditions) {
        signals.tellWatchers { $0.conditions = ConditionsReport(conditions, isForPerson: $1.isPerson) }
    }

    /// Tells those who watch of the hold on everything.
    package func tell(_ hold: Fact<MachineHold?>) {
        signals.tellWatchers { $0.held = HoldStatus(hold, tellingReason: !$1.isSandboxed) }
    }

    /// Waits until the server is stopped, or the bus or the name is lost.
    package func ended() async -> End {
        if let end { return end }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives the name back and lets go of the bus; what is told from now on goes nowhere.
    package func stop() {
        finish(.stopped)
        connection.bus?.flush()
        connection.bus?.close()
        connection.bus = nil
    }

    /// Returns when the server's thread has come to it: a sign that it works.
    package func ping() {}

    /// Ends the server's thread: the last thing that is asked of it, since nothing runs on it any more.
    package nonisolated func letGo() async { await executor.stop() }
}
