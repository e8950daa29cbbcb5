// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The program starts again.
extension SessionMachine {
    /// Takes in what is kept of a session.
    mutating func recover(_ stored: StoredSession, _ transfers: [Int: RecoveredTransfer]) {
        let key = stored.key
        put(.session(key, stored.record))
        for record in stored.tasks.values { put(.task(key, record)) }
        let hasEnds = sessions[key]?.ends.isEmpty == false
        sessions[key]?.hasWaiting = hasEnds
        for (number, transfer) in transfers where sessions[key]?[unfinished: number] != nil {
            bind(TaskKey(session: key, number: number), to: transfer.id)
            update(transfer.id) {
                $0.recovered = transfer
                $0.record.snapshot.total = transfer.total
                if let bytes = transfer.bytes, $0.record.snapshot.kind == .download {
                    $0.record.snapshot.received = bytes
                }
            }
        }
    }

    /// Does what was left undone, once the engine runs: orders that it has not got, and ends of which no app has heard.
    mutating func goOn(in key: SessionKey) {
        guard let session = sessions[key] else { return }
        for number in session.unfinished { goOn(number, in: key) }
        // Of versions that kept them until the app had heard of the end.
        for number in session.ends.values.sorted() {
            guard let former = session.tasks[number]?.record, case var record = former else { continue }
            record.removeSecrets()
            if record != former { write(.task(key, record)) }
        }
        guard var record = sessions[key]?.record, case let former = record else { return }
        if sessions[key]?.unfinishedCount == 0 { record.settings.additionalHeaders = [:] }
        for (token, kept) in record.kept.sorted(by: { $0.key < $1.key }) {
            guard kept.since.advanced(by: .seconds(7 * 86_400)) < now else {
                effects.append(.pause([kept.transfer]))
                continue
            }
            record.kept[token] = nil
            effects.append(.cancel([kept.transfer]))
            if let source = kept.source { effects.append(.removeSource(source)) }
        }
        if record != former { write(.session(key, record)) }
        // By then no store has a transfer any more whose key a new task of that number would have.
        let longUnused = now.advanced(by: .seconds(-400 * 86_400))
        if session.tasks.isEmpty, record.kept.isEmpty, session.user == nil, let opened = record.lastOpened,
            opened < longUnused
        {
            write(.removed(key))
        }
    }

    private mutating func goOn(_ number: Int, in key: SessionKey) {
        guard let task = sessions[key]?[unfinished: number] else { return }
        let (record, generation) = (task.record, task.record.generation)
        if generation > 0 {
            // Ends what the task was before its app gave it another request.
            effects.append(.cancelKeys((0..<generation).map { key.transferKey(of: number, again: $0) }))
        }
        guard let transfer = task.transfer else {
            guard record.isCancelled else { return submit(number, in: key) }
            return end(number, in: key, as: TaskEnd(failure: .cancelled))
        }
        if record.isCancelled {
            effects.append(.cancel([transfer]))
        } else if record.snapshot.isSuspended {
            effects.append(.pause([transfer]))
        } else if record.isResuming == true {
            effects.append(.resume(transfer))
        }
        waitForBegin(number, in: key, recovered: task.recovered)
        sessions[key]?.update(number) { $0.recovered = nil }
    }
}
