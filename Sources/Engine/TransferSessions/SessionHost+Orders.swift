// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import TransferEngine
internal import TransferModel

/// What apps want done with their tasks.
extension SessionHost {
    /// Carries an order out in the session's turn.
    ///
    /// - Parameter source: the kept file of an upload that is submitted, or the reason why there is none.
    func perform(
        _ order: TaskOrder, in key: SessionKey, from client: String, source: Result<KeptSource, UnusableTask>? = nil
    ) async throws {
        try await inTurn(of: key) { host in
            guard host.sessions[key]?.client?.name == client else {
                throw SessionRefusal(
                    code: .noSuchSession,
                    message: "this process does not use a session '\(key.identifier)'; open it first")
            }
            try await host.carryOut(order, in: key, source)
        }
    }

    private func carryOut(
        _ order: TaskOrder, in key: SessionKey, _ source: Result<KeptSource, UnusableTask>?
    ) async throws {
        if case .submit(let snapshot) = order { return try await submit(snapshot, in: key, source) }
        // What is over is not what it was when the order was given.
        guard let task = sessions[key]?.tasks[order.task], task.record.end == nil else { return }
        let number = order.task
        switch order {
        case .submit: break
        case .suspend:
            try await change(number, in: key) { $0.snapshot.isSuspended = true }
            if let transfer = task.transfer { await control(transfer, .pause) }
        case .resume:
            try await change(number, in: key) { $0.snapshot.isSuspended = false }
            if let transfer = task.transfer {
                await control(transfer, .resume)
            } else {
                try await handOver(number, in: key)
            }
        case .cancel: try await cancel(number, in: key)
        case .cancelKeeping(_, let token): try await cancel(number, in: key, keepingAs: token)
        case .change(let snapshot): try await change(number, in: key, to: snapshot)
        case .begin(_, let reply):
            try await begin(number, in: key, reply)
            noteDealing(in: key)
        case .answer(_, let reply):
            try await answer(number, in: key, reply)
            noteDealing(in: key)
        }
    }

    /// Has the engine do something with a transfer. What cannot be saved just now is done, and saved with what follows; an
    /// engine that has ended finds in the session's rows what was asked for.
    func control(_ transfer: TransferID, _ action: TransferAction) async {
        do { try await engine.control([transfer], action) } catch is EngineEndedError {
        } catch {
            logger.warning("a command is not saved yet", metadata: ["transfer": "\(transfer)", "why": "\(error)"])
        }
    }

    /// Changes what is kept of a task.
    private func change(_ number: Int, in key: SessionKey, _ body: (inout TaskRecord) -> Void) async throws {
        guard var record = sessions[key]?.tasks[number]?.record else { return }
        body(&record)
        try await save([.task(key, record)])
        sessions[key]?.tasks[number]?.record = record
    }

    // MARK: New ones

    private func submit(
        _ snapshot: TaskSnapshot, in key: SessionKey, _ source: Result<KeptSource, UnusableTask>?
    ) async throws {
        guard var session = sessions[key]?.record else { return }
        // An order that is given twice is refused for nothing.
        if session.isNew(snapshot.identifier) { try checkRoom(for: snapshot, session, in: key) }
        guard session.take(snapshot.identifier) else { return }
        var record = TaskRecord(snapshot: snapshot)
        record.isFromBackground = isBehind(key)
        record.source = try? source?.get()
        try await save([.session(key, session), .task(key, record)])
        sessions[key]?.record = session
        sessions[key]?.tasks[snapshot.identifier] = Task(record: record)
        account(snapshot.identifier, in: key)
        if case .failure(let error)? = source {
            return await end(snapshot.identifier, in: key) { $0.failure = error.failure }
        }
        if !snapshot.isSuspended { try await handOver(snapshot.identifier, in: key) }
    }

    /// Gives a task to the engine. Its row is there: where this program ends before the engine has it, it is given again.
    ///
    /// - Parameter kind: how urgent it is; nil takes what the session says.
    func handOver(_ number: Int, in key: SessionKey, as kind: WorkKind? = nil) async throws {
        guard let session = sessions[key], let task = session.tasks[number], task.transfer == nil,
            task.record.end == nil
        else { return }
        let snapshot = task.record.snapshot
        if let token = snapshot.continues, let kept = session.record.kept[token] {
            return try await takeUp(kept, token, as: number, in: key)
        }
        do {
            var specification = try specification(of: task.record, in: key, by: session.record.settings)
            specification.isSandboxed = session.record.isSandboxed == true
            specification.traits = traits(of: task.record, like: specification.traits, in: key)
            if let kind { specification.traits.kind = kind }
            let transferKey = key.transferKey(of: number, again: task.record.generation)
            submitting[transferKey] = TaskKey(session: key, number: number)
            defer { submitting[transferKey] = nil }
            bind(try await engine.submit(specification, key: transferKey), submittedAs: transferKey)
            waitForBegin(number, in: key)
        } catch let error as UnusableTask {
            await end(number, in: key) { $0.failure = error.failure }
        } catch let error as RefusedTransferError {
            await end(number, in: key) { $0.failure = FailureDescription(code: .unsupportedURL, "\(error)") }
        } catch {
            throw SessionRefusal(code: .unavailable, message: "\(error)")
        }
    }

    func bind(_ number: Int, in key: SessionKey, to transfer: TransferID) {
        sessions[key]?.tasks[number]?.transfer = transfer
        owners[transfer] = TaskKey(session: key, number: number)
    }

    /// Gives a task that is being submitted its transfer: as its submission returns, or as the engine tells of it, whichever
    /// comes first.
    func bind(_ transfer: TransferID, submittedAs key: String) {
        guard let task = submitting.removeValue(forKey: key) else { return }
        bind(task.number, in: task.session, to: transfer)
    }

    /// Goes on with the bytes of a cancelled task.
    private func takeUp(_ kept: KeptBytes, _ token: String, as number: Int, in key: SessionKey) async throws {
        guard var session = sessions[key]?.record, var task = sessions[key]?.tasks[number]?.record else { return }
        session.kept[token] = nil
        (task.transfer, task.source) = (kept.transfer, kept.source ?? task.source)
        try await save([.session(key, session), .task(key, task)])
        sessions[key]?.record = session
        sessions[key]?.tasks[number]?.record = task
        bind(number, in: key, to: kept.transfer)
        await control(kept.transfer, .resume)
    }

    /// What the deciding code sees of a task.
    private func traits(of task: TaskRecord, like given: TransferTraits, in key: SessionKey) -> TransferTraits {
        let settings = sessions[key]?.record.settings ?? SessionSettings(identifier: key.identifier)
        let snapshot = task.snapshot
        let now = now
        return TransferTraits(
            kind: settings.isDiscretionary ? .discretionary : .normal,
            constraints: constraints(of: task, settings),
            priority: snapshot.schedulingPriority, host: given.host, app: key.app, isLoopback: given.isLoopback,
            expectedBytesToReceive: snapshot.expectedToReceive,
            expectedBytesToSend: given.expectedBytesToSend ?? snapshot.expectedToSend, submitted: now,
            session: key.identifier, slotsPerHost: settings.maximumConnectionsPerHost,
            isFromBackground: task.isFromBackground, expires: now.advanced(by: .seconds(settings.resourceTimeout)))
    }

    private func constraints(of task: TaskRecord, _ settings: SessionSettings) -> Constraints {
        let mayCost = settings.allowsExpensiveNetworkAccess && settings.allowsConstrainedNetworkAccess
        var constraints = Constraints(metered: mayCost ? .unstated : .unmetered)
        if !settings.allowsCellularAccess || !task.snapshot.request.allowsCellularAccess {
            constraints.linkKinds = .only(
                LinkKind.allCases.filter { $0 != .cellular }.reduce(into: LinkKinds()) { $0.insert(LinkKinds($1)) })
        }
        if !task.mayBegin { constraints.notBefore = task.snapshot.earliestBegin.map(NotBeforeConstraint.init) }
        return constraints
    }

    // MARK: Changed ones

    private func change(_ number: Int, in key: SessionKey, to snapshot: TaskSnapshot) async throws {
        let grown = snapshot.bookkeepingBytes - (sessions[key]?.tasks[number]?.record.snapshot.bookkeepingBytes ?? 0)
        let usage = usage(of: key.app)
        guard grown <= 0 || usage.bytes + grown <= limits.bytes else {
            throw SessionRefusal(
                code: .limitExceeded,
                message:
                    "the tasks of \(key.app) have \(usage.bytes) bytes of notes and others, and may have \(limits.bytes)"
            )
        }
        try await change(number, in: key) { record in
            record.snapshot.note = snapshot.note
            record.snapshot.priority = snapshot.priority
            record.snapshot.earliestBegin = snapshot.earliestBegin
            record.snapshot.expectedToSend = snapshot.expectedToSend
            record.snapshot.expectedToReceive = snapshot.expectedToReceive
        }
        account(number, in: key)
        guard let session = sessions[key], let task = session.tasks[number], let transfer = task.transfer else {
            return
        }
        let change = TransferChange(
            constraints: constraints(of: task.record, session.record.settings),
            priority: task.record.snapshot.schedulingPriority)
        // One that has ended meanwhile has no use for it.
        try? await engine.change(transfer, change)
    }

    // MARK: Ended ones

    private func cancel(_ number: Int, in key: SessionKey, keepingAs token: String? = nil) async throws {
        guard let transfer = sessions[key]?.tasks[number]?.transfer else {
            return await end(number, in: key) { $0.failure = .cancelled }
        }
        guard let token else {
            try await change(number, in: key) { $0.isCancelled = true }
            return await control(transfer, .cancel)
        }
        owners[transfer] = nil
        await control(transfer, .pause)
        // Read before the session is changed: Swift ends a program that does both at once.
        let task = sessions[key]?.tasks[number]?.record
        let kept = KeptBytes(transfer: transfer, since: now, bytes: task?.snapshot.received, source: task?.source)
        sessions[key]?.record.kept[token] = kept
        sessions[key]?.tasks[number]?.record.source = nil
        await end(number, in: key) { $0.failure = .cancelled }
    }

    /// Takes back what an app had, as its person ended it for good: it is not started again until somebody else does.
    package func quit(_ app: String) async {
        for key in sessions.keys.filter({ $0.app == app }).sorted() {
            await inTurn(of: key) { host in
                guard var record = host.sessions[key]?.record else { return }
                record.isQuit = true
                await host.saveForSure([.session(key, record)])
                host.sessions[key]?.record = record
                for number in (host.sessions[key]?.tasks ?? [:]).filter({ $0.value.record.end == nil }).keys.sorted() {
                    try? await host.cancel(number, in: key)
                }
            }
        }
        engine.relaunchAbandoned(app)
    }
}

extension SessionRecord {
    /// Whether no task of that number has come yet.
    func isNew(_ number: Int) -> Bool { number >= nextTask || missing.contains(number) }

    /// Takes down that a task has come; false where it has come before.
    fileprivate mutating func take(_ number: Int) -> Bool {
        guard number >= nextTask else { return missing.remove(number) != nil }
        missing.formUnion(nextTask..<number)
        nextTask = number + 1
        return true
    }
}

extension TaskSnapshot {
    /// 0…1000, from 0…1.
    fileprivate var schedulingPriority: Int { Int((min(1, max(0, priority)) * 1000).rounded()) }
}

extension FailureDescription {
    static let cancelled = FailureDescription(code: .cancelled, "it was cancelled")
}
