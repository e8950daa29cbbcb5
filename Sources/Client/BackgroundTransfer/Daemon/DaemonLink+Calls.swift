// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import TransferBusProtocol
internal import TransferModel

/// Calls to the daemon, and events from the daemon.
extension DaemonLink {
    /// Makes a call after the replies to the calls before it have arrived.
    ///
    /// - Returns: Whether to wait for the reply. False if the session is unknown, or if the daemon has been unreachable
    ///   for longer than the time limit of a call.
    @discardableResult
    func add(_ call: SessionCall, in identifier: String) -> Bool {
        guard sessions[identifier] != nil else {
            call.completion(
                .failure(SessionError(code: .invalidated, message: "The session '\(identifier)' has ended.")))
            return false
        }
        if let number = call.acknowledges { sessions[identifier]?.deduplicator.acknowledge(number) }
        sessions[identifier]?.calls.append(call)
        startNextCall(identifier)
        let since = sessions[identifier]?.backoff.since
        return since.map { ContinuousClock.now - $0 < options.callTimeout } ?? true
    }

    func startNextCall(_ identifier: String) {
        guard let bus, let session = sessions[identifier], case .open(let path) = session.phase, !session.isCalling,
            let call = session.calls.first
        else { return }
        sessions[identifier]?.isCalling = true
        let (serial, epoch) = (session.serial, session.epoch)
        do {
            try bus.call(
                call.method, of: TransferBusName.sessionInterface, at: path, service: TransferBusName.service,
                call.arguments, type: call.type, milliseconds: Self.callMilliseconds,
                descriptors: call.file.map { [$0.number] } ?? []
            ) { result in
                self.assumeIsolated { link in
                    guard let now = link.sessions[identifier], now.serial == serial, now.epoch == epoch else { return }
                    link.handleReply(identifier, result)
                }
            }
        } catch {
            // The arguments cannot be sent, now or later.
            failFirstCall(identifier, "\(error)")
        }
    }

    /// Requests the body of a task. The result is `nil` if the task has none.
    func requestBody(
        ofTask number: Int, in identifier: String,
        _ completion: @escaping @Sendable (Result<[UInt8]?, SessionError>) -> Void
    ) {
        guard let bus, case .open(let path)? = sessions[identifier]?.phase else {
            return completion(.failure(.unreachable("it has stopped")))
        }
        do {
            try bus.call(
                "Body", of: TransferBusName.sessionInterface, at: path, service: TransferBusName.service,
                [.integer(Int64(number))], type: "(x)", milliseconds: Self.callMilliseconds
            ) { result in
                switch result {
                case .success(let values):
                    guard case .bytes(let bytes)? = values.first, !bytes.isEmpty else {
                        return completion(.success(nil))
                    }
                    completion(.success(bytes))
                // An earlier version of the daemon sends bodies with their tasks.
                case .failure(let error) where error.name == "org.freedesktop.DBus.Error.UnknownMethod":
                    completion(.success(nil))
                case .failure(let error): completion(.failure(.unreachable(error.message)))
                }
            }
        } catch {
            completion(.failure(.unreachable("\(error)")))
        }
    }

    /// The time limit of a call, in milliseconds. Longer than a slow disk needs.
    private static let callMilliseconds: Int32 = 30_000

    private func handleReply(_ identifier: String, _ result: Result<[VariantValue], BusCallError>) {
        switch result {
        case .success(let values):
            guard let call = sessions[identifier]?.calls.removeFirst() else { return }
            sessions[identifier]?.isCalling = false
            sessions[identifier]?.backoff.end()
            if case .submit(let snapshot)? = call.order { sessions[identifier]?.tasks.begin(snapshot.identifier) }
            if call.isClosing { end(identifier, nil) }
            call.completion(.success(values))
            startNextCall(identifier)
        case .failure(let error):
            guard let fault = BusFault(name: error.name, message: error.message), fault.isFinal else {
                return handleLoss(identifier, because: error.message)
            }
            failFirstCall(identifier, fault.message)
        }
    }

    /// Fails the first call, which the daemon will never carry out.
    private func failFirstCall(_ identifier: String, _ why: String) {
        guard let call = sessions[identifier]?.calls.removeFirst() else { return }
        sessions[identifier]?.isCalling = false
        Log.warning("'\(identifier)': the daemon refused \(call.method): \(why)")
        if let (event, followUp) = call.order?.refusal(why) {
            sessions[identifier]?.events.yield(event)
            if let followUp { sessions[identifier]?.calls.append(SessionCall(posting: followUp)) }
        }
        call.completion(.failure(SessionError(code: .unavailable, message: why)))
        startNextCall(identifier)
    }

    // MARK: Events

    func receive(_ fields: [String: VariantValue], from path: String) {
        guard path.hasPrefix(TransferBusName.sessionsPath + "/"),
            let name = SessionKey(node: String(path.dropFirst(TransferBusName.sessionsPath.count + 1)))
        else { return }
        let identifier = name.identifier
        guard sessions[identifier] != nil else { return }
        do {
            let event = try SessionEvent(fields)
            switch sessions[identifier]?.deduplicator.receive(event.number) {
            case nil, .drop?: break
            case .deliver?:
                if case .invalidated(let refusal) = event.kind { return end(identifier, refusal) }
                if case .completed = event.kind, let task = event.task { sessions[identifier]?.tasks.end(task) }
                deliver(event, in: identifier, from: path)
            case .acknowledgeAgain?:
                guard let number = event.number,
                    sessions[identifier]?.calls.contains(where: { $0.acknowledges == number }) == false
                else { return }
                add(
                    SessionCall("Acknowledge", [.integer(number)], type: "(x)", acknowledges: number) { _ in },
                    in: identifier)
            }
        } catch {
            Log.warning("'\(identifier)': an event of the daemon cannot be read: \(error)")
        }
    }
}

extension BusFault {
    /// Whether another attempt would produce the same reply.
    fileprivate var isFinal: Bool {
        switch code {
        case .invalidArgument, .noSuchTransfer, .noSuchApp, .transferEnded, .tooManyTransfers, .messageTooLarge,
            .accessDenied, .badIdentifier, .limitExceeded:
            true
        case .sessionInUse, .noSuchSession, .storeFailed, .shuttingDown: false
        }
    }
}
