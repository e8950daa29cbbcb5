// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import TransferEngine
internal import TransferModel

/// The program starts again.
extension SessionHost {
    /// Reads what is kept, before the engine runs: from then on ``take(_:)`` knows which transfer is whose. Files of uploads
    /// that nobody needs any more are removed.
    ///
    /// - Parameter others: files of uploads that transfers outside sessions need.
    /// - Throws: what the store throws.
    package func load(keeping others: [KeptSource] = []) async throws {
        for stored in try await store.sessions() {
            var session = Session(record: stored.record)
            for (number, record) in stored.tasks {
                session.tasks[number] = Task(record: record)
                if let end = record.end { session.ends[end.order] = number }
            }
            session.hasWaiting = !session.ends.isEmpty
            sessions[stored.key] = session
            for number in session.tasks.keys { account(number, in: stored.key) }
        }
        let removed = await spool.restore(neededSources + others)
        if removed > 0 { logger.info("removed files that no upload needs", metadata: ["count": "\(removed)"]) }
        for key in sessions.keys.sorted() { try await loadTransfers(of: key) }
    }

    private func loadTransfers(of key: SessionKey) async throws {
        guard let session = sessions[key] else { return }
        let open = session.tasks.filter { $0.value.record.end == nil }
        let keys = open.mapValues { key.transferKey(of: $0.record.snapshot.identifier, again: $0.record.generation) }
        let byKey = try await store.transfers(
            forKeys: open.filter { $0.value.record.transfer == nil }.compactMap { keys[$0.key] })
        let named = open.values.compactMap(\.record.transfer)
        let byNumber = Dictionary(
            try await store.transfers(named).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for (number, task) in open {
            let transfer = task.record.transfer.flatMap { byNumber[$0] } ?? keys[number].flatMap { byKey[$0] }
            guard let transfer else { continue }
            sessions[key]?.tasks[number]?.transfer = transfer.id
            owners[transfer.id] = TaskKey(session: key, number: number)
            sessions[key]?.tasks[number]?.record.snapshot.total = transfer.resume?.total
            if let bytes = transfer.resume?.bytes, task.record.snapshot.kind == .download {
                sessions[key]?.tasks[number]?.record.snapshot.received = bytes
            }
            if let ending = transfer.ending { endedBefore.append((key, number, ending)) }
        }
    }

    /// Does what was left undone, once the engine runs: orders that it has not got, ends of which no app has heard, apps that
    /// wait to be started.
    package func goOn() async {
        let ended = endedBefore.sorted { ($0.key, $0.number) < ($1.key, $1.number) }
        endedBefore = []
        for (key, number, ending) in ended {
            await inTurn(of: key) { host in
                await host.end(number, in: key) { end in
                    guard let task = host.sessions[key]?.tasks[number]?.record else { return }
                    ending.describe(in: &end, url: task.snapshot.request.url)
                }
            }
        }
        for key in sessions.keys.sorted() {
            await inTurn(of: key) { host in await host.goOn(in: key) }
            startIfNeeded(key.app)
        }
    }

    private func goOn(in key: SessionKey) async {
        guard let session = sessions[key] else { return }
        for (number, task) in session.tasks.sorted(by: { $0.key < $1.key }) where task.record.end == nil {
            if task.record.generation > 0 { await cancelEarlier(number, in: key, before: task.record.generation) }
            guard let transfer = task.transfer else {
                if task.record.isCancelled {
                    await end(number, in: key) { $0.failure = .cancelled }
                } else if !task.record.snapshot.isSuspended {
                    await handOverForSure(number, in: key)
                }
                continue
            }
            if task.record.isCancelled {
                await control(transfer, .cancel)
            } else if task.record.snapshot.isSuspended {
                await control(transfer, .pause)
            }
            waitForBegin(number, in: key)
        }
        // Of versions that kept them until the app had heard of the end.
        for (number, task) in session.tasks where task.record.end != nil {
            var record = task.record
            record.removeSecrets()
            guard record != task.record else { continue }
            await saveForSure([.task(key, record)])
            sessions[key]?.tasks[number]?.record = record
        }
        if sessions[key]?.hasUnfinished == false { sessions[key]?.record.settings.additionalHeaders = [:] }
        let longest = Duration.seconds(7 * 86_400)
        for (token, kept) in session.record.kept where kept.since.advanced(by: longest) < now {
            await control(kept.transfer, .cancel)
            sessions[key]?.record.kept[token] = nil
            if let source = kept.source { spool.remove(source) }
        }
        if let record = sessions[key]?.record, record != session.record { await saveForSure([.session(key, record)]) }
        // By then no store has a transfer any more whose key a new task of that number would have.
        let longUnused = now.advanced(by: .seconds(-400 * 86_400))
        guard let record = sessions[key]?.record, session.tasks.isEmpty, record.kept.isEmpty, session.client == nil,
            let opened = record.lastOpened, opened < longUnused
        else { return }
        await saveForSure([.removed(key)])
        sessions[key] = nil
    }

    /// Ends what a task was before its app gave it another request.
    private func cancelEarlier(_ number: Int, in key: SessionKey, before generation: Int) async {
        let keys = (0..<generation).map { key.transferKey(of: number, again: $0) }
        let earlier = (try? await store.transfers(forKeys: keys)) ?? [:]
        for transfer in earlier.values where transfer.ending == nil { await control(transfer.id, .cancel) }
    }

    private func handOverForSure(_ number: Int, in key: SessionKey) async {
        do {
            try await handOver(number, in: key)
        } catch {
            logger.error(
                "a task could not be handed over; it is tried at the next start",
                metadata: ["session": "\(key.identifier)", "task": "\(number)", "why": "\(error)"])
        }
    }
}

extension TransferEnding {
    fileprivate func describe(in end: inout TaskEnd, url: String) {
        switch self {
        case .completed(let completion, _): completion.describe(in: &end, url: url)
        case .failed(let failure, _): end.failure = FailureDescription(failure)
        case .cancelled: end.failure = .cancelled
        }
    }
}
