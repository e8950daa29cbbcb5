// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// The calls of session objects.
struct SessionObjectCalls {
    /// The service behind the objects.
    let host: any ExportedService
    let caller: BusCaller
    /// The service with the caller's access rights.
    private var service: any SharedTransferManager { host.service(for: caller) }

    init(_ host: any ExportedService, caller: BusCaller) { (self.host, self.caller) = (host, caller) }

    /// Executes a method call and returns its reply values.
    ///
    /// - Throws: `BusFault`, `UnknownObjectError`, or any error from the service.
    func reply(_ call: BusCall) async throws -> [VariantValue] {
        guard let name = SessionKey(path: call.path) else { throw UnknownObjectError(path: call.path) }
        guard await isReached(name, by: call) else { throw UnknownObjectError(path: call.path) }
        if let reply = try await SessionCalls(service: host.sessions, caller: caller).reply(call, of: name) {
            return reply
        }
        guard let session = try await session(name) else { throw UnknownObjectError(path: call.path) }
        return try await reply(call, of: session)
    }

    /// The methods of a session that act on all of its transfers.
    static let sessionActions: [String: ControlAction] = [
        "PauseAll": .pause, "ResumeAll": .resume, "CancelAll": .cancel,
    ]

    /// Whether the caller may call the session. A program that shares a container with the session's app may call
    /// only `SessionCalls.methods`, and only while the program has the session open.
    private func isReached(_ name: SessionKey, by call: BusCall) async -> Bool {
        if caller.reaches(name.app) { return true }
        guard call.interface == TransferBusName.sessionInterface, SessionCalls.methods.contains(call.method) else {
            return false
        }
        return await host.sessions.hasOpen(SessionKey(app: name.app, identifier: name.identifier), caller.name)
    }

    /// Returns the session with a name. A session without transfers exists only for its own app, so that no other app
    /// can guess the name.
    private func session(_ name: SessionKey) async throws -> SessionStatus? {
        if let session = try await service.sessions().first(where: { $0.name == name }) { return session }
        return caller.app == name.app ? SessionStatus(name) : nil
    }

    private func reply(_ call: BusCall, of session: SessionStatus) async throws -> [VariantValue] {
        if call.interface == TransferBusName.properties {
            return try ManagerCalls.property(call, of: TransferBusName.sessionInterface, session.properties)
        }
        if call.method == "List" {
            var filter = try TransferFilter(call.arguments.first?.dictionary ?? [:])
            (filter.app, filter.session) = (session.name.app, session.name.identifier)
            return [.list(try await service.list(filter).map { .dictionary($0.fields) })]
        }
        guard let action = Self.sessionActions[call.method] else {
            throw BusFault(.invalidArgument, "unknown method '\(call.method)'; Introspect lists the methods")
        }
        // A transfer may end during the loop. It then needs no action, or the action is too late.
        for id in session.transfers {
            do { try await service.control([id], action) } catch let fault as BusFault
                where fault.code == .transferEnded
            {}
        }
        return []
    }
}

extension SessionKey {
    /// Returns the session's name; `nil` if the path does not identify a session.
    init?(path: String) {
        guard path.hasPrefix(TransferBusName.sessionsPath + "/") else { return nil }
        self.init(node: String(path.dropFirst(TransferBusName.sessionsPath.count + 1)))
    }
}

/// An error that states that the caller can reach no object with the path.
struct UnknownObjectError: Error, CustomStringConvertible {
    /// The error's name, which the D-Bus specification defines.
    static let name = "org.freedesktop.DBus.Error.UnknownObject"
    let path: String

    var description: String { "no object at \(path), or the caller may not access it" }
}
