// SPDX-License-Identifier: Apache-2.0
import Dispatch
import GLibBridge
import Glibc
internal import TransferBusProtocol
internal import TransferEngine
package import TransferModel
import TransferPolicy
import TransferSessions

/// A server that exports a service on the session bus.
///
/// The components of the server reply to calls and signal changes. All components share the server's connection and
/// thread.
package actor BusServer {
    /// The reason that the server has ended or cannot start.
    package enum End: Hashable, Sendable {
        /// The bus cannot be reached, or the connection is lost.
        case noBus(String)
        /// Another process owns the name.
        case nameTaken
        /// The server was asked to stop.
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
    let commands: RunningCommands
    let conditions: ConditionsObject
    let calls: CallDispatcher
    let notifications: DesktopNotifications
    private let readiness = DispatchGroup()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Runs `body` on the server's thread, after all work that was enqueued earlier.
    nonisolated func perform(_ body: @escaping @Sendable (isolated BusServer) -> Void) {
        executor.perform { self.assumeIsolated { body($0) } }
    }

    /// Creates a server for `service`. The server exports nothing before ``start(address:)`` and handles no calls
    /// before ``serve()``.
    package init(service: any ExportedService, programs: BusPrograms = BusPrograms()) {
        self.service = service
        executor = programs.executor
        let connection = ServerConnection(lendingTo: programs)
        let names = NameOwners(over: connection)
        let callers = CallerRegistry(over: connection, names: names, launched: programs.launched) {
            service.trustedSandboxes
        }
        let desktops = DesktopWindows(over: connection, names: names, callers: callers, reporting: service.sessions)
        names.onOwner = { [weak desktops] in desktops?.ownerChanged($0, of: $1) }
        let sessions = SessionCallers(over: connection, names: names, programs: programs, of: service.sessions)
        let signals = ChangeSignals(over: connection, of: service)
        commands = RunningCommands(over: connection)
        conditions = ConditionsObject(over: connection, since: service.now)
        calls = CallDispatcher(
            over: connection, to: service, callers: callers, signals: signals, sessions: sessions)
        (self.connection, self.names, self.callers, self.desktops) = (connection, names, callers, desktops)
        (self.signals, self.sessions) = (signals, sessions)
        notifications = DesktopNotifications(over: connection)
        readiness.enter()
    }

    /// Stops the server because the service will never become ready, so that no caller waits forever. Call this
    /// method once, instead of ``serve()``.
    package nonisolated func abandon() {
        readiness.leave()
        Task { await stop() }
    }

    /// Starts to handle calls, including calls that arrived earlier. Call this method once, when the service is
    /// ready.
    package nonisolated func serve() {
        readiness.leave()
        perform { $0.calls.replyToEarlyCalls(on: $0) }
    }

    /// Connects to the bus, exports the objects, and then acquires the name. No caller can therefore find the name
    /// without its objects.
    ///
    /// - Throws: `BusServerError` that states the problem and the remedy.
    package func start(address: String) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            connection.onEnd = { self.desktops.forgetAll() }
            connection.start(address: address, continuation) { bus, flow in
                try self.export(on: bus, flow)
            } confirm: { name in
                self.perform { $0.requestConfirmation(name) }
            } onOwner: {
                self.ownerChanged(name: $0, from: $1, to: $2)
            }
        }
    }

    private func export(on bus: BusConnection, _ flow: BusFlow) throws -> [BusRegistration] {
        let sessions = BusTree(
            path: TransferBusName.sessionsPath, interface: TransferBusName.sessionInterface, xml: SessionObject.xml
        ) { sender in
            self.identifiedCaller(sender).map(self.service.unfinishedSessions)?.map(\.node) ?? []
        }
        defer { names.loadAll() }
        return [
            try bus.export(
                TransferBusName.managerInterface, describedBy: ManagerInterface.xml, at: TransferBusName.managerPath,
                flow: flow
            ) { self.calls.accept($0, on: self) },
            try bus.export(
                TransferBusName.conditionsInterface, describedBy: ConditionsObject.xml,
                at: TransferBusName.conditionsPath, flow: flow
            ) { self.calls.accept($0, on: self) },
            try bus.export(sessions, flow: flow) { self.calls.accept($0, on: self) },
        ]
    }

    /// The caller that requests the list of objects. GDBus requires the list synchronously, so this method blocks
    /// until the service is ready. A short wait is better than an incomplete list.
    private func identifiedCaller(_ sender: String) -> BusCaller? {
        readiness.wait()
        return callers.identifySynchronously(sender)
    }

    /// Handles a name that appeared, disappeared or changed owners. A closed connection no longer watches anything,
    /// and the bus never reuses a unique name.
    private func ownerChanged(name: String, from old: String, to new: String) {
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
        commands.forget(name)
        sessions.forget(name)
    }

    /// Asks a caller to confirm that it reads its messages, then resumes the work that waits for the confirmation.
    private func requestConfirmation(_ name: String) {
        connection.ping(name) {
            guard self.connection.flow?.confirm(name) == true else { return }
            self.calls.resume(name, on: self)
            self.signals.catchUp(name, as: self.callers[name], on: self)
        }
    }

    /// Discards the classifications of all callers except the user's. Call this method after the user admits a
    /// sandbox or withdraws the admission.
    package nonisolated func reclassify() { perform { $0.callers.forgetClassifications() } }

    /// Reports a transfer's status to the watchers that may reach the transfer.
    package func report(_ status: TransferStatus) { signals.report(status) }

    /// Reports the machine's conditions to the watchers.
    package func report(_ conditions: Conditions) {
        let now = WallTime(secondsSinceEpoch: Int64(time(nil)))
        signals.notifyWatchers { $0.conditions = ConditionsReport(conditions, includesNames: $1.isPerson, at: now) }
    }

    /// Publishes the verdict on discretionary work for programs that transfer nothing.
    package func publish(_ report: DiscretionaryReport) { conditions.publish(report) }

    /// Reports the user's hold on everything to the watchers, and to the programs that run commands.
    package func report(_ hold: Fact<MachineHold?>) {
        commands.report(hold)
        signals.notifyWatchers { $0.held = HoldStatus(hold, includingReason: !$1.isSandboxed) }
    }

    /// Waits until the server is stopped, or the bus or the name is lost.
    package func ended() async -> End { await withCheckedContinuation { connection.whenEnded($0) } }

    /// Releases the name, waits for up to a second until every call that the bus has already sent has its reply, and
    /// closes the connection. Later reports are discarded. The bus keeps later calls for the next owner of the name.
    package func stop() async {
        connection.releaseName()
        let end = ContinuousClock.now.advanced(by: .seconds(1))
        // At first, messages that have arrived are still in the thread's queue.
        repeat { try? await Task.sleep(for: .milliseconds(5)) } while calls.openCalls > 0 && ContinuousClock.now < end
        connection.close()
    }

    /// Returns after the server's thread runs this call, which proves that the thread works.
    package func ping() {}

    /// Ends the server's thread. This must be the last call on the server, because nothing runs on the thread
    /// afterward.
    package nonisolated func stopThread() async { await executor.stop() }
}

/// Desktop notifications.
extension BusServer {
    /// Shows a notification. Does nothing if no notification server is available.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - body: The text. Markup in the text is not interpreted.
    ///   - isFailure: Whether the notification reports a failure.
    ///   - buttons: The buttons.
    ///   - onButton: A closure that receives the key of a pressed button, once.
    package func notify(
        title: String, body: String, isFailure: Bool, buttons: [NotificationButton] = [],
        onButton: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        notifications.show(title: title, body: body, isFailure: isFailure, buttons: buttons, onButton: onButton)
    }
}

/// An error that states why the daemon cannot be on the bus.
package struct BusServerError: Error, Hashable, CustomStringConvertible {
    /// The reason that the server has ended or cannot start.
    package var end: BusServer.End

    /// Creates an error from the reason for the end.
    package init(end: BusServer.End) { self.end = end }

    package var description: String {
        switch end {
        case .noBus(let why):
            "cannot use the bus: \(why). Check DBUS_SESSION_BUS_ADDRESS, or specify a bus with --bus."
        case .nameTaken:
            "another process already owns \(TransferBusName.service) on this bus; see 'transferctl service status'"
        case .stopped: "the daemon is shutting down"
        }
    }
}
