// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// A call whose caller is identified.
struct QueuedCall {
    let call: BusCall
    let caller: BusCaller
}

/// A dispatcher that identifies the caller of each call, gives every app a fair share, and preserves the order of
/// each app's changes.
///
/// Used only on the server's thread.
final class CallDispatcher {
    private let connection: ServerConnection
    private let service: any ExportedService
    private let callers: CallerRegistry
    private let signals: ChangeSignals
    private let sessions: SessionCallers
    /// The calls that arrived before the service was ready; `nil` once the service is ready.
    private var earlyCalls: [BusCall]? = []
    /// The calls of each app that await admission.
    private var queue = CallQueue<QueuedCall>()
    /// The changes of each app that are in progress.
    private var changes = ChangeOrder()
    /// The calls whose callers must first read earlier messages, by the connection's unique name.
    private var stalledCalls: [String: [QueuedCall]] = [:]
    /// The number of calls that were accepted and have no reply yet, without stalled calls.
    private(set) var openCalls = 0

    /// Creates a dispatcher that handles no calls before ``replyToEarlyCalls(on:)``.
    init(
        over connection: ServerConnection, to service: any ExportedService, callers: CallerRegistry,
        signals: ChangeSignals, sessions: SessionCallers
    ) {
        (self.connection, self.service, self.callers) = (connection, service, callers)
        (self.signals, self.sessions) = (signals, sessions)
    }

    /// Handles a call after the service is ready and the caller is identified.
    func accept(_ call: BusCall, on server: isolated BusServer) {
        guard earlyCalls == nil else {
            earlyCalls?.append(call)
            return
        }
        openCalls += 1
        callers.identify(call.sender) { caller in
            guard let caller else {
                self.openCalls -= 1
                return call.fail(
                    BusFault(
                        .accessDenied,
                        "cannot identify the calling process; it may have ended"))
            }
            self.reply(QueuedCall(call: call, caller: caller), on: server)
        }
    }

    /// Handles the calls that arrived before the service was ready.
    func replyToEarlyCalls(on server: isolated BusServer) {
        let calls = earlyCalls ?? []
        earlyCalls = nil
        for call in calls { accept(call, on: server) }
    }

    /// Resumes the calls of a connection that reads its messages again.
    func resume(_ name: String, on server: isolated BusServer) {
        for next in stalledCalls.removeValue(forKey: name) ?? [] {
            openCalls += 1
            reply(next, on: server)
        }
    }

    /// Discards the stalled calls of a closed connection.
    func forget(_ name: String) { stalledCalls[name] = nil }

    // MARK: Turns

    /// Handles a call as soon as its app's limit admits the call.
    private func reply(_ next: QueuedCall, on server: isolated BusServer) {
        if let next = queue.add(next, of: next.caller.app) { begin(next, on: server) }
    }

    private func begin(_ next: QueuedCall, on server: isolated BusServer) {
        let (call, caller) = (next.call, next.caller)
        do {
            guard callers[caller.name] != nil || caller.name.isEmpty else {
                // The caller disconnected while the call waited. After that, nothing may be recorded for the caller.
                throw BusFault(.accessDenied, "the caller has disconnected")
            }
            if try replyLocally(call, from: caller) { return end(next, on: server) }
            if connection.isStalled(caller.name) {
                // A reply would only occupy memory until the caller resumes reading. Setting the call aside frees
                // its slot for other calls of the app.
                stalledCalls[caller.name, default: []].append(next)
                return end(next, on: server)
            }
            try replyFromService(next, on: server)
        } catch {
            call.fail(error)
            end(next, on: server)
        }
    }

    /// Frees a slot for the next call of the app.
    private func end(_ done: QueuedCall, on server: isolated BusServer) {
        openCalls -= 1
        guard let next = queue.end(of: done.caller.app) else { return }
        // The next call begins in a separate job. If thousands of calls wait, beginning each from within the last
        // would recurse too deeply.
        server.perform { $0.calls.begin(next, on: $0) }
    }

    // MARK: Replies

    /// Replies to a call that needs only the server's own state. Returns false for any other call.
    private func replyLocally(_ call: BusCall, from caller: BusCaller) throws(BusFault) -> Bool {
        guard call.interface == TransferBusName.managerInterface else { return false }
        switch call.method {
        case "Watch": try signals.watch(caller)
        case "Unwatch": signals.forget(caller.name)
        default: return false
        }
        call.reply([])
        return true
    }

    /// Replies to a call that needs the service.
    ///
    /// - Throws: The error if the call is refused immediately. No work is then in progress.
    private func replyFromService(_ next: QueuedCall, on server: isolated BusServer) throws {
        let (call, caller, service) = (next.call, next.caller, service)
        if call.method == "Open", call.interface != TransferBusName.properties { return openFile(next, on: server) }
        if call.path == TransferBusName.conditionsPath {
            return reply(next, on: server) { server in
                try ManagerCalls.property(
                    call, of: TransferBusName.conditionsInterface, server.conditions.properties)
            }
        }
        switch call.interface == TransferBusName.managerInterface ? call.method : nil {
        case "OpenSession":
            sessions.add(caller.name)
            reply(next, on: server) { server in
                let (settings, options) = (call.arguments.first?.dictionary, call.arguments.last?.dictionary)
                return try await server.sessions.open(settings ?? [:], options ?? [:], by: caller, on: server)
            }
        case "SetInFront":
            reply(next, on: server) { _ in
                await service.sessions.setInFront(call.arguments.first == .bool(true), app: caller.app)
                return []
            }
        case let method? where RunningCommands.methods.contains(method):
            // In the same step as the check that the caller is connected: a later one would list the last status of a
            // program that has ended meanwhile, forever.
            call.reply(try server.commands.reply(call, from: caller))
            end(next, on: server)
        case "Discard" where call.path == TransferBusName.managerPath:
            reply(next, on: server) { _ in
                try await service.discard(TransferID(call.arguments.first?.integer ?? -1), for: caller)
                return []
            }
        case _ where call.path == TransferBusName.managerPath:
            reply(next, on: server) { _ in
                try await ManagerCalls(service: service.service(for: caller), caller: caller, now: service.now)
                    .reply(call)
            }
        default:
            reply(next, on: server) { _ in try await SessionObjectCalls(service, caller: caller).reply(call) }
        }
    }

    /// Replies to a call with the result of `body`. Replies to the same caller may be out of order. Each call
    /// waits only for its own change to be saved and for earlier changes to the same transfers.
    private func reply(
        _ next: QueuedCall, on server: isolated BusServer,
        _ body: @escaping @Sendable (isolated BusServer) async throws -> [VariantValue]
    ) {
        let (call, app) = (next.call, next.caller.app)
        let subject = ChangeOrder.Subject(call)
        let earlier = subject.map { changes.earlier(than: $0, of: app) } ?? []
        let number = changes.makeNumber()
        let task = Task {
            defer {
                if let subject { changes.end(number, of: subject, by: app) }
                end(next, on: server)
            }
            for change in earlier { await change.value }
            do {
                call.reply(try await body(server))
            } catch {
                call.fail(error)
            }
        }
        if let subject { changes.add(number, task, of: subject, by: app) }
    }

    /// Replies with a finished file, open for reading.
    private func openFile(_ next: QueuedCall, on server: isolated BusServer) {
        let (call, caller) = (next.call, next.caller)
        Task {
            defer { end(next, on: server) }
            do {
                let file = try await FinishedFileCalls(service: service, caller: caller).open(by: call)
                call.reply(descriptor: file.number)
            } catch {
                call.fail(error)
            }
        }
    }
}

extension BusCall {
    /// Replies with the error's own D-Bus name, or with `StoreFailed` if the error has none.
    func fail(_ error: any Error) {
        switch error {
        case let fault as BusFault: fail(fault.name, fault.message)
        case let refusal as SessionRefusal: fail(BusFault(refusal))
        case let error as UnknownObjectError: fail(UnknownObjectError.name, error.description)
        default: fail(BusFault(.storeFailed, "\(error)"))
        }
    }
}
