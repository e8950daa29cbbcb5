// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Glibc
import TransferBusProtocol
internal import TransferModel

/// Opening sessions, for the first time and after the daemon was lost.
extension DaemonLink {
    func open(
        _ settings: SessionSettings, _ options: OpeningOptions,
        _ completion: @escaping @Sendable (Result<OpenedSession, SessionError>) -> Void
    ) {
        let identifier = settings.identifier
        let (stream, continuation) = AsyncStream.makeStream(of: SessionEvent.self)
        serials += 1
        var calls: [SessionCall] = []
        if let former = sessions.removeValue(forKey: identifier) {
            // The same session is opened again. Its pending orders still apply, except its closing.
            calls = former.calls.filter { !$0.isClosing }
            for closing in former.calls where closing.isClosing { closing.completion(.success([])) }
            let refusal = SessionRefusal(
                code: .inUse, message: "this process has opened the session '\(identifier)' again", owner: getpid())
            former.events.yield(SessionEvent(.invalidated(refusal)))
            former.events.finish()
            former.opened?(.failure(SessionError(refusal)))
        }
        sessions[identifier] = LinkedSession(
            serial: serials, settings: settings, options: options, events: continuation, calls: calls
        ) { result in
            completion(
                result.map {
                    OpenedSession(
                        nextTask: $0.nextTask, tasks: $0.tasks, events: stream, namedFilesFolder: $0.namedFilesFolder)
                })
        }
        open(identifier)
    }

    /// Ends a session whose opening the caller no longer waits for.
    func abandon(_ identifier: String) {
        guard sessions[identifier]?.opened != nil else { return }
        end(identifier, SessionRefusal(code: .unavailable, message: "the caller no longer waits for the session"))
    }

    func open(_ identifier: String) {
        guard let serial = sessions[identifier]?.serial else { return }
        sessions[identifier]?.phase = .opening
        withBus { link, result in
            switch result {
            case .success(let bus): link.callOpen(identifier, serial, over: bus)
            case .failure(let error):
                guard link.sessions[identifier]?.serial == serial else { return }
                link.handleLoss(identifier, because: "no session bus: \(error.message)", isHopeless: true)
            }
        }
    }

    func callOpen(_ identifier: String, _ serial: Int, over bus: BusConnection) {
        guard let session = sessions[identifier], session.serial == serial else { return }
        let limit = options.openTimeout
        var opening = session.options
        opening.isInFront = isInFront ?? options.isInFront()
        // Opening a session again says nothing about whether the user is working with this program.
        opening.isReconnecting = session.opened == nil
        do {
            try bus.call(
                "OpenSession", of: TransferBusName.managerInterface, at: TransferBusName.managerPath,
                service: TransferBusName.service,
                [.dictionary(session.settings.fields), .dictionary(opening.fields)], type: "(a{sv}a{sv})",
                milliseconds: Int32(limit / .milliseconds(1))
            ) { result in self.assumeIsolated { $0.handleOpenReply(identifier, serial, result) } }
        } catch {
            end(identifier, SessionRefusal(code: .unavailable, message: "the request cannot be sent: \(error)"))
        }
    }

    func handleOpenReply(_ identifier: String, _ serial: Int, _ result: Result<[VariantValue], BusCallError>) {
        guard let session = sessions[identifier], session.serial == serial else {
            if case .success = result, sessions[identifier] == nil { closeAbandoned(result) }
            return
        }
        switch result {
        case .success(let values):
            do {
                let reply = try OpenSessionReply(values.first?.dictionary ?? [:])
                sessions[identifier]?.phase = .open(path: reply.path)
                // If the daemon has started this program, it knows better whether the user is working with it.
                isInFront = reply.state.isInFront
                options.storeInFront(reply.state.isInFront)
                if session.calls.isEmpty { sessions[identifier]?.backoff.end() }
                let lost = sessions[identifier]?.tasks.receive(reply.state) ?? []
                if let warning = reply.state.warning, session.opened != nil || !lost.isEmpty {
                    Log.warning("\(warning)")
                }
                session.opened?(.success(reply.state))
                sessions[identifier]?.opened = nil
                for task in lost { session.events.yield(SessionEvent(task: task, .completed(.lost))) }
                startNextCall(identifier)
            } catch {
                end(identifier, SessionRefusal(code: .unavailable, message: "its reply cannot be read: \(error)"))
            }
        case .failure(let error):
            let fault = BusFault(name: error.name, message: error.message)
            if let fault, let refusal = SessionRefusal(fault), refusal.code != .unavailable {
                // The daemon may not have noticed yet that this process's previous connection is gone.
                guard refusal.owner == getpid(), session.opened == nil else { return end(identifier, refusal) }
            } else if let fault, fault.code == .accessDenied, session.options.registration != nil {
                // A sandboxed program may not register a command. The daemon starts the program by its app ID.
                sessions[identifier]?.options.registration = nil
                return open(identifier)
            } else if let fault, [.invalidArgument, .accessDenied, .limitExceeded].contains(fault.code) {
                return end(identifier, SessionRefusal(code: .badIdentifier, message: fault.message))
            }
            handleLoss(identifier, because: error.message, isHopeless: error.isHopeless)
        }
    }

    /// Closes a session that was opened after its caller had stopped waiting.
    private func closeAbandoned(_ result: Result<[VariantValue], BusCallError>) {
        guard let values = try? result.get(), let reply = try? OpenSessionReply(values.first?.dictionary ?? [:])
        else { return }
        try? bus?.call(
            "Close", of: TransferBusName.sessionInterface, at: reply.path, service: TransferBusName.service, [],
            type: "()", milliseconds: 10_000
        ) { _ in }
    }

    // MARK: Losing the daemon

    /// Handles a daemon that does not respond for a session. Opens the session again after a pause, or ends it.
    ///
    /// - Parameter isHopeless: Whether waiting is pointless. Considered only for the first opening, which a caller
    ///   waits for.
    func handleLoss(_ identifier: String, because why: String, isHopeless: Bool = false) {
        guard var session = sessions[identifier] else { return }
        session.epoch += 1
        session.isCalling = false
        let isFirst = session.opened != nil
        let limit = isFirst ? options.openTimeout : options.reconnectTimeout
        guard !(isFirst && isHopeless), let pause = session.backoff.recordFailure(at: .now, limit: limit) else {
            sessions[identifier] = session
            return end(identifier, SessionRefusal(code: .unavailable, message: SessionError.unreachable(why).message))
        }
        let serial = session.serial
        session.phase = .lost(
            retry: executor.after(milliseconds: UInt32(pause / .milliseconds(1))) {
                self.assumeIsolated { link in
                    guard link.sessions[identifier]?.serial == serial else { return }
                    link.open(identifier)
                }
            })
        sessions[identifier] = session
    }

    /// Ends a session. `refusal` is `nil` if the program requested the end.
    func end(_ identifier: String, _ refusal: SessionRefusal?) {
        guard let session = sessions.removeValue(forKey: identifier) else { return }
        let error = refusal.map(SessionError.init)
        if let opened = session.opened {
            opened(.failure(error ?? .unreachable("the session was closed")))
        } else {
            session.events.yield(SessionEvent(.invalidated(refusal)))
        }
        session.events.finish()
        for call in session.calls { call.completion(.failure(error ?? .unreachable("the session was closed"))) }
    }
}

extension BusCallError {
    /// Whether waiting is pointless: the bus cannot start the daemon, or the daemon does not support sessions.
    fileprivate var isHopeless: Bool {
        let names = [
            "ServiceUnknown", "Spawn.ServiceNotFound", "Spawn.ExecFailed", "UnknownMethod", "UnknownInterface",
        ]
        return names.contains { name == "org.freedesktop.DBus.Error." + $0 }
    }
}
