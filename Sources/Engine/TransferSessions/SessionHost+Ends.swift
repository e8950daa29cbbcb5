// SPDX-License-Identifier: Apache-2.0
package import TransferEngine
package import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// What becomes of tasks, and how their apps hear of it.
extension SessionHost {
    /// Takes what an engine tells of a transfer; those of no session are nothing to it. In the order in which it is told.
    package func take(_ update: TransferUpdate) async {
        if case .submitted(let transfer) = update.kind, let key = transfer.key { bind(update.id, submittedAs: key) }
        guard let owner = owners[update.id] else { return }
        let (key, number) = (owner.session, owner.number)
        switch update.kind {
        case .submitted, .paused, .resumed, .waiting, .retrying: break
        case .changed(let traits): await changed(number, in: key, to: traits.constraints.notBefore?.date)
        case .started: tellContinued(number, in: key)
        case .progressed(let bytes, let total, _): tellProgress(number, in: key, bytes, of: total)
        case .stopped(let explanation, let bytes):
            sessions[key]?.tasks[number]?.record.snapshot.noteBytes(bytes)
            if explanation.holds.contains(where: { $0.reason == .needsApp(.authentication) }) {
                await challenged(update.id, number, in: key)
            }
        case .finished(let completion):
            await ended(number, in: key) { completion.describe(in: &$0, url: $1.request.url) }
        case .failed(let failure):
            await ended(number, in: key) { end, _ in end.failure = FailureDescription(failure) }
        case .cancelled: await ended(number, in: key) { end, _ in end.failure = .cancelled }
        }
    }

    private func tellProgress(_ number: Int, in key: SessionKey, _ bytes: Int64, of total: Int64?) {
        guard let task = sessions[key]?.tasks[number], task.record.end == nil else { return }
        sessions[key]?.tasks[number]?.record.snapshot.noteBytes(bytes)
        if let total { sessions[key]?.tasks[number]?.record.snapshot.total = total }
        let isDownload = task.record.snapshot.kind == .download
        sessions[key]?.client?.tell(
            key,
            SessionEvent(task: number, isDownload ? .received(bytes, total: total) : .sent(bytes, total: total)))
    }

    private func tellContinued(_ number: Int, in key: SessionKey) {
        guard let snapshot = sessions[key]?.tasks[number]?.record.snapshot, snapshot.kind == .download,
            snapshot.received > 0
        else { return }
        sessions[key]?.client?.tell(
            key, SessionEvent(task: number, .continued(offset: snapshot.received, total: snapshot.total)))
    }

    private func ended(
        _ number: Int, in key: SessionKey, _ describe: @Sendable (inout TaskEnd, TaskSnapshot) -> Void
    ) async {
        await inTurn(of: key) { host in
            guard let snapshot = host.sessions[key]?.tasks[number]?.record.snapshot else { return }
            await host.end(number, in: key) { describe(&$0, snapshot) }
        }
    }

    /// Saves how a task ended, and tells its app, which is started for it where it does not run. In the session's turn.
    func end(_ number: Int, in key: SessionKey, _ describe: (inout TaskEnd) -> Void) async {
        guard let session = sessions[key], var task = session.tasks[number], task.record.end == nil else { return }
        var record = session.record
        // Above all that a queue which was lost may have told: programs know events by their numbers.
        record.ended = max(record.ended + 1, now.nanosecondsSinceEpoch / 1_000_000)
        var end = TaskEnd(order: record.ended)
        describe(&end)
        let waiting = usage(of: key.app).bytes
        if waiting + end.answerBytes > limits.bytes, end.failure == nil { end.dropAnswer(key.app, waiting) }
        task.record.end = end
        let source = task.record.source
        task.record.source = nil
        task.record.snapshot.isOver = true
        task.record.snapshot.response = end.response
        task.record.removeSecrets()
        task.question = nil
        task.beginWait?.asking.cancel()
        task.beginWait = nil
        await saveForSure([.session(key, record), .task(key, task.record)])
        if let source { spool.remove(source) }
        if let transfer = task.transfer { owners[transfer] = nil }
        task.transfer = nil
        sessions[key]?.record = record
        sessions[key]?.tasks[number] = task
        account(number, in: key)
        sessions[key]?.ends[end.order] = number
        guard let client = sessions[key]?.client else {
            sessions[key]?.hasWaiting = true
            return startIfNeeded(key.app)
        }
        let isLast = sessions[key]?.hasUnfinished == false
        let isBehind = isBehind(key)
        if isLast, isBehind {
            engine.appRelaunched(key.app)
            apps[key.app, default: AppState()].calls += 1
            client.tell(key, SessionEvent(.called))
        } else if isLast {
            engine.relaunchAbandoned(key.app)
        }
        tell(end, of: number, skipping: 0, to: client, in: key)
        if isLast, isBehind || sessions[key]?.hasWaiting == true { tellFinished(to: client, in: key) }
    }

    private func tell(_ end: TaskEnd, of number: Int, skipping told: Int, to client: SessionClient, in key: SessionKey)
    {
        for (place, kind) in end.kinds.enumerated().dropFirst(told) {
            client.tell(key, SessionEvent(number: end.number(place), task: number, kind))
        }
    }

    private func tellFinished(to client: SessionClient, in key: SessionKey) {
        sessions[key]?.hasWaiting = false
        client.tell(key, SessionEvent(.finishedEvents))
    }

    /// Tells a process that has just come all that waited for it.
    func tellWhatWaited(in key: SessionKey) {
        guard let session = sessions[key], let client = session.client else { return }
        for (_, number) in session.ends.sorted(by: { $0.key < $1.key }) {
            guard let record = session.tasks[number]?.record, let end = record.end else { continue }
            tell(end, of: number, skipping: record.acknowledged, to: client, in: key)
        }
        for (number, task) in session.tasks.sorted(by: { $0.key < $1.key }) {
            if let question = task.question { client.tell(key, SessionEvent(task: number, question)) }
        }
        if session.hasWaiting || !session.ends.isEmpty { tellFinished(to: client, in: key) }
    }

    /// An app has dealt with an event: it is not told again. Safe to repeat.
    ///
    /// - Throws: `SessionRefusal` where the client does not use the session, or it could not be saved.
    package func acknowledge(_ number: EventNumber, in key: SessionKey, from client: String) async throws {
        try await inTurn(of: key) { host in
            guard host.sessions[key]?.client?.name == client else {
                throw SessionRefusal(
                    code: .noSuchSession,
                    message: "this process does not use a session '\(key.identifier)'; open it first")
            }
            try await host.acknowledge(number, in: key)
        }
    }

    private func acknowledge(_ event: EventNumber, in key: SessionKey) async throws {
        let (order, place) = event.quotientAndRemainder(dividingBy: TaskEnd.mostEvents)
        guard let number = sessions[key]?.ends[order], var record = sessions[key]?.tasks[number]?.record,
            let end = record.end, case let kinds = end.kinds, place < kinds.count, place >= record.acknowledged
        else { return }
        let dealtWith = kinds[record.acknowledged...Int(place)]
        record.acknowledged = Int(place) + 1
        if record.acknowledged == kinds.count {
            try await save([.taskRemoved(key, number)])
            if let removed = sessions[key]?.tasks.removeValue(forKey: number) {
                account(number, in: key, removed: removed)
            }
            sessions[key]?.ends[order] = nil
        } else {
            // To hear an answer's head twice does no harm, and is not worth a write.
            if case .responded = kinds[Int(place)] {} else { try await save([.task(key, record)]) }
            sessions[key]?.tasks[number]?.record = record
        }
        for case .downloaded(let file) in dealtWith { self.place.remove(file) }
        noteDealing(in: key)
    }
}

extension TaskSnapshot {
    /// Takes down how far it is.
    fileprivate mutating func noteBytes(_ bytes: Int64) {
        if kind == .download { received = bytes } else { sent = bytes }
    }
}

extension TransferCompletion {
    /// Puts down what an app is told of a complete answer.
    func describe(in end: inout TaskEnd, url: String) {
        var headers: [String: String] = [:]
        for field in response?.headers ?? [] {
            // As FoundationNetworking has several fields of one name.
            headers[field.name] = headers[field.name].map { $0 + ", " + field.value } ?? field.value
        }
        if let type = answer?.contentType, headers["Content-Type"] == nil { headers["Content-Type"] = type }
        end.response = ResponseDescription(url: response?.url ?? url, status: status, headers: headers)
        (end.file, end.fileBytes) = (file?.path, file?.bytes)
        end.body = answer?.body
    }
}
