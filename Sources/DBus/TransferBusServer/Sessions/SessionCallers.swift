// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferBusProtocol
internal import TransferModel
import TransferSessions

/// The callers that have opened sessions. Joins callers to their sessions, and reports callers that leave the bus.
///
/// Use this class only on the server's thread.
final class SessionCallers {
    private let connection: ServerConnection
    private let names: NameOwners
    private let programs: BusPrograms
    private let service: any SessionService
    private var callers: Set<String> = []
    /// The most recent task that reports departures.
    private var departures: Task<Void, Never>?

    /// Creates a registry without callers.
    init(
        over connection: ServerConnection, names: NameOwners, programs: BusPrograms, of service: any SessionService
    ) {
        (self.connection, self.names, self.programs, self.service) = (connection, names, programs, service)
    }

    /// Records that a caller opens a session. A call to ``open(_:_:by:on:)`` must follow.
    func add(_ name: String) { callers.insert(name) }

    /// Joins a caller to a session.
    ///
    /// - Returns: The values of the reply.
    /// - Throws: `BusFault`, `SessionRefusal`, or any error from the service.
    func open(
        _ settings: [String: VariantValue], _ options: [String: VariantValue], by caller: BusCaller,
        on server: isolated BusServer
    ) async throws -> [VariantValue] {
        let settings = try SessionSettings(settings)
        let options = try OpeningOptions(options)
        if caller.isSandboxed { try SandboxRules.check(settings, options, of: caller) }
        let registration = await registration(of: caller, requesting: options, on: server)
        // Departed callers must release their sessions before this caller opens a session.
        await departures?.value
        guard let sender = connection.bus?.signalSender else {
            throw BusFault(.shuttingDown, "the daemon is shutting down; the next call starts it again")
        }
        let sink = sink(to: caller.name, by: sender, of: server)
        var client = SessionClient(name: caller.name, process: caller.process, app: caller.app) { sink.deliver($0, $1) }
        let leader = getsid(caller.process)
        client.leader = leader > 0 ? leader : nil
        client.isSandboxed = caller.isSandboxed
        client.executable = caller.executable
        client.isLaunched =
            programs.launched.isRunning(caller.app)
            || UnitName.app(inGroup: UnitName.group(of: caller.process)) == caller.app
        (client.isInFront, client.isReconnecting, client.containers) = (
            options.isInFront, options.isReconnecting, options.containers
        )
        var state = try await service.open(settings, by: client, registration: registration)
        guard callers.contains(caller.name) else {
            // The caller disconnected in the meantime, before the service knew of the caller. The departure must be
            // reported here.
            await service.disconnected(caller.name)
            throw BusFault(.noSuchSession, "the caller has disconnected")
        }
        state.tasks = state.tasks.map(\.withoutBody)
        let name = SessionKey(app: state.app ?? caller.app, identifier: settings.identifier)
        return [.dictionary(OpenSessionReply(path: name.path, state: state).fields)]
    }

    /// Returns the event sink of a caller.
    private func sink(to name: String, by sender: SignalSender, of server: BusServer) -> EventSink {
        EventSink { [service] key in
            Task { await service.resendEvents(name, in: key) }
        } send: { key, event in
            // Every value of an event has a D-Bus type, so `emit` does not fail.
            try? sender.emit(
                "Event", of: TransferBusName.sessionInterface,
                at: SessionKey(app: key.app, identifier: key.identifier).path, to: name,
                [.dictionary(event.withoutBody.fields)], type: "(a{sv})")
        } ask: { confirmed in
            server.perform { $0.connection.ping(name, confirmed) }
        }
    }

    /// Returns the way to launch the caller's app. A bus name that the app requests takes precedence. Otherwise, the
    /// daemon uses one of the app's names that the bus can activate. If there is no such name, the daemon uses the
    /// command that the app requests. A sandboxed app may request nothing, and is launched only by its own id (rule
    /// C3).
    private func registration(
        of caller: BusCaller, requesting options: OpeningOptions, on server: isolated BusServer
    ) async -> AppRegistration? {
        if case .busName? = options.registration { return options.registration }
        let own: Set =
            caller.isSandboxed ? [caller.app] : names.registry.names(of: caller.name, process: caller.process)
        if !own.isEmpty {
            let reply = try? await programs.ask("ListActivatableNames").get()
            let activatable = own.intersection(reply?.first?.items.compactMap(\.string) ?? [])
            let name = activatable.contains(caller.app) ? caller.app : activatable.min()
            if let name { return .busName(name) }
        }
        return SandboxRules.command(of: caller).map(AppRegistration.command) ?? options.registration
    }

    /// Frees the sessions of a caller that has disconnected.
    func forget(_ name: String) {
        guard callers.remove(name) != nil else { return }
        departures = Task { [service, departures] in
            await departures?.value
            await service.disconnected(name)
        }
    }
}
