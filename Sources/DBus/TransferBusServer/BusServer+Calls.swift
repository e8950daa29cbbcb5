// SPDX-License-Identifier: Apache-2.0
import GLibBridge
internal import TransferBusProtocol
internal import TransferEngine
internal import TransferModel

/// A call whose caller is known.
struct QueuedCall {
    let call: BusCall
    let caller: BusCaller
}

/// Answering calls.
extension BusServer {
    func take(_ call: BusCall) {
        if early != nil {
            early?.append(call)
            return
        }
        callers.identify(call.sender) { caller in
            guard let caller else {
                return call.fail(
                    BusFault(
                        .accessDenied,
                        "the bus cannot say which process calls, or that has ended; call from a process that runs"))
            }
            self.answer(call, from: caller)
        }
    }

    /// Answers a call as soon as it is its app's turn.
    func answer(_ call: BusCall, from caller: BusCaller) {
        guard let next = queue.add(QueuedCall(call: call, caller: caller), of: caller.app) else { return }
        begin(next)
    }

    private func begin(_ next: QueuedCall) {
        let (call, caller) = (next.call, next.caller)
        guard callers[caller.name] != nil || caller.name.isEmpty else {
            // It has gone while it waited: nobody is to be kept in the books after that.
            call.fail(BusFault(.accessDenied, "the caller has gone"))
            return ended(next)
        }
        do {
            if try answerAtOnce(call, from: caller) { return ended(next) }
        } catch {
            call.fail(error)
            return ended(next)
        }
        if connection.isStalled(caller.name) {
            // Its answer would only lie in memory. It keeps nobody of its app waiting meanwhile.
            stalledCalls[caller.name, default: []].append(next)
            return ended(next)
        }
        let service = service
        if call.interface == TransferBusName.managerInterface, call.method == "OpenSession" {
            return openSession(next)
        }
        if call.method == "Open", call.interface != TransferBusName.properties { return openFile(next) }
        if call.interface == TransferBusName.managerInterface, call.method == "SetInFront" {
            return answer(next) {
                await service.setInFront(call.arguments.first == .bool(true), app: caller.app)
                return []
            }
        }
        guard call.path != TransferBusName.managerPath else {
            if call.interface == TransferBusName.managerInterface, call.method == "Discard" {
                let id = TransferID(call.arguments.first?.integer ?? -1)
                return answer(next) {
                    try await service.discard(id, for: caller)
                    return []
                }
            }
            return answer(next) {
                try await ManagerCalls(service: service.service(for: caller), caller: caller, now: service.now)
                    .answer(call)
            }
        }
        let isRead: Bool
        do {
            isRead = try signals.beginReading(call, by: caller)
        } catch {
            call.fail(error)
            return ended(next)
        }
        answer(next, isRead: isRead) { try await ObjectCalls(service, caller: caller).answer(call) }
    }

    /// Answers what needs nothing but the server's own books; false for all other calls.
    private func answerAtOnce(_ call: BusCall, from caller: BusCaller) throws(BusFault) -> Bool {
        guard call.interface == TransferBusName.managerInterface else { return false }
        switch call.method {
        case "Watch": try signals.watch(caller)
        case "Unwatch": signals.unwatch(caller.name)
        default: return false
        }
        call.reply([])
        return true
    }

    /// Goes on with the calls of a connection that reads again.
    func resumeCalls(of name: String) {
        for next in stalledCalls.removeValue(forKey: name) ?? [] { answer(next.call, from: next.caller) }
    }

    private func ended(_ done: QueuedCall) {
        if let next = queue.end(of: done.caller.app) {
            // Not from within: thousands may wait.
            perform { $0.begin(next) }
        }
    }

    /// Answers a call with what `body` makes. Calls of one caller may be answered in another order than they came: each waits
    /// for its own saving only, and for earlier changes of the same transfers.
    func answer(
        _ next: QueuedCall, isRead: Bool = false, _ body: @escaping @Sendable () async throws -> [VariantValue]
    ) {
        let (call, app) = (next.call, next.caller.app)
        let subject = ChangeOrder.Subject(call)
        let earlier = subject.map { changes.earlier(than: $0, of: app) } ?? []
        let number = changes.makeNumber()
        let task = Task {
            var values: [VariantValue]?
            defer {
                if let subject { changes.end(number, of: subject, by: app) }
                if isRead { signals.endReading(call, values) }
                ended(next)
            }
            for change in earlier { await change.value }
            do {
                let answer = try await body()
                values = answer
                call.reply(answer)
            } catch {
                call.fail(error)
            }
        }
        if let subject { changes.add(number, task, of: subject, by: app) }
    }

    /// Answers with a finished file, open for reading.
    private func openFile(_ next: QueuedCall) {
        let (call, caller, service) = (next.call, next.caller, service)
        Task {
            defer { ended(next) }
            do {
                let file = try await FileCalls(service: service, caller: caller).open(by: call)
                call.reply(descriptor: file.number)
            } catch {
                call.fail(error)
            }
        }
    }
}

extension BusCall {
    /// Answers with the error's own name where it has one.
    func fail(_ error: any Error) {
        switch error {
        case let fault as BusFault: fail(fault.name, fault.message)
        case let refusal as SessionRefusal: fail(BusFault(refusal))
        case let error as UnknownObjectError: fail(UnknownObjectError.name, error.description)
        default: fail(BusFault(.storeFailed, "\(error)"))
        }
    }
}
