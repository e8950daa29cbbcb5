// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
internal import TransferBusProtocol
internal import TransferModel
import TransferSessions

/// The callers that have opened sessions: joins them to their sessions, and notices that they have gone.
///
/// Used on the server's thread only.
final class SessionCallers {
    private let connection: ServerConnection
    private let names: NameOwners
    private let programs: BusPrograms
    private let service: any SessionService
    private var callers: Set<String> = []
    /// The end of telling that callers have gone.
    private var departures: Task<Void, Never>?

    /// Nobody has opened a session of `service`.
    init(
        over connection: ServerConnection, names: NameOwners, programs: BusPrograms, of service: any SessionService
    ) {
        (self.connection, self.names, self.programs, self.service) = (connection, names, programs, service)
    }

    /// Notes that a caller opens a session; ``open(_:_:by:on:)`` is to follow.
    func add(_ name: String) { callers.insert(name) }

    /// Joins a caller to a session.
    ///
    /// - Returns: the values of the answer.
    /// - Throws: `BusFault`, `SessionRefusal`, or what the service throws.
    func open(
        _ settings: [String: VariantValue], _ options: [String: VariantValue], by caller: BusCaller,
        on server: isolated BusServer
    ) async throws -> [VariantValue] {
        let settings = try SessionSettings(settings)
        let options = try OpeningOptions(options)
        if caller.isSandboxed { try SandboxRules.check(settings, options, of: caller) }
        let registration = await registration(of: caller, saying: options, on: server)
        // Whoever has gone before holds no session against this one.
        await departures?.value
        guard let sender = connection.bus?.signalSender else {
            throw BusFault(.shuttingDown, "the daemon is on its way out; the next call starts it again")
        }
        let outlet = outlet(to: caller.name, by: sender, of: server)
        var client = SessionClient(name: caller.name, process: caller.process, app: caller.app) { outlet.tell($0, $1) }
        let leader = getsid(caller.process)
        client.leader = leader > 0 ? leader : nil
        client.isSandboxed = caller.isSandboxed
        client.executable = caller.executable
        client.isLaunched =
            programs.launched.isRunning(caller.app)
            || UnitName.app(inGroup: UnitName.group(of: caller.process)) == caller.app
        (client.isInFront, client.isBack, client.containers) = (options.isInFront, options.isBack, options.containers)
        let state = try await service.open(settings, by: client, registration: registration)
        guard callers.contains(caller.name) else {
            // It has gone meanwhile, and nobody was told of that.
            await service.disconnected(caller.name)
            throw BusFault(.noSuchSession, "the caller has gone")
        }
        let name = SessionKey(app: state.app ?? caller.app, identifier: settings.identifier)
        return [.dictionary(SessionAnswer(path: name.path, state: state).fields)]
    }

    /// The way of events to a caller.
    private func outlet(to name: String, by sender: SignalSender, of server: BusServer) -> EventOutlet {
        EventOutlet { [service] key in
            Task { await service.tellAgain(name, in: key) }
        } send: { key, event in
            // All that an event is made of can be sent.
            try? sender.emit(
                "Event", of: TransferBusName.sessionInterface,
                at: SessionKey(app: key.app, identifier: key.identifier).path, to: name,
                [.dictionary(event.fields)], type: "(a{sv})")
        } ask: { answered in
            server.perform { $0.connection.ping(name, answered) }
        }
    }

    /// The way to start the app: as it says, or by its name where the bus can do that without being told. An app in a sandbox
    /// says nothing: it is started by its own id only (rule C3).
    private func registration(
        of caller: BusCaller, saying options: OpeningOptions, on server: isolated BusServer
    ) async -> AppRegistration? {
        if case .busName? = options.registration { return options.registration }
        let own: Set =
            caller.isSandboxed ? [caller.app] : names.book.names(of: caller.name, process: caller.process)
        if !own.isEmpty {
            let answer = try? await programs.ask("ListActivatableNames").get()
            let activatable = own.intersection(answer?.first?.items.compactMap(\.string) ?? [])
            let name = activatable.contains(caller.app) ? caller.app : activatable.min()
            if let name { return .busName(name) }
        }
        return SandboxRules.command(of: caller).map(AppRegistration.command) ?? options.registration
    }

    /// A caller has gone: its sessions are free.
    func forget(_ name: String) {
        guard callers.remove(name) != nil else { return }
        departures = Task { [service, departures] in
            await departures?.value
            await service.disconnected(name)
        }
    }
}
