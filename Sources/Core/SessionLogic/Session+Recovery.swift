// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Restores sessions when the host starts again.
extension Session {
    /// Creates a session from its stored rows and the transfers of its tasks.
    init(_ stored: StoredSession, _ transfers: [Int: RecoveredTaskTransfer]) {
        self.init(stored.key, stored.record)
        for record in stored.tasks.values { put(.task(key, record)) }
        if !tasks.ends.isEmpty { audience.recordEvent() }
        for (number, transfer) in transfers where tasks[unfinished: number] != nil {
            bind(transfer.id, to: number)
            tasks.update(number) {
                $0.recovered = transfer
                $0.record.snapshot.total = transfer.total
                if let bytes = transfer.bytes, $0.record.snapshot.kind == .download {
                    $0.record.snapshot.received = bytes
                }
            }
        }
    }

    /// Resumes work once the engine runs: orders that the engine did not receive, and ends that no app has received.
    mutating func resumeWork() {
        for number in tasks.unfinished { resumeWork(number) }
        // Earlier versions kept secrets until the app had received the end.
        for number in tasks.ends.values.sorted() {
            guard let former = tasks[number]?.record, case var task = former else { continue }
            task.removeSecrets()
            if task != former { write(.task(key, task)) }
        }
        var session = record
        if tasks.unfinishedCount == 0 { session.settings.additionalHeaders = [:] }
        for (token, kept) in record.kept.sorted(by: { $0.key < $1.key }) {
            guard kept.since.advanced(by: .seconds(7 * 86_400)) < environment.now else {
                output.effects.append(.pause([kept.transfer]))
                continue
            }
            session.kept[token] = nil
            output.effects.append(.cancel([kept.transfer]))
            if let source = kept.source { output.effects.append(.removeSource(source)) }
        }
        if session != record { write(.session(key, session)) }
        // After that time, no store has a transfer whose key a new task with the same number could reuse.
        let longUnused = environment.now.advanced(by: .seconds(-400 * 86_400))
        if tasks.isEmpty, record.kept.isEmpty, audience.user == nil, let opened = record.lastOpened, opened < longUnused
        {
            write(.removed(key))
        }
    }

    private mutating func resumeWork(_ number: Int) {
        guard let task = tasks[unfinished: number] else { return }
        let (record, generation) = (task.record, task.record.generation)
        if generation > 0 {
            // Ends the transfers that the task had before the app replaced its request.
            output.effects.append(.cancelKeys((0..<generation).map { key.transferKey(of: number, again: $0) }))
        }
        guard let transfer = task.transfer else {
            return record.isCancelled ? end(number, as: TaskEnd(failure: .cancelled)) : submit(number)
        }
        if record.isCancelled {
            output.effects.append(.cancel([transfer]))
        } else if record.snapshot.isSuspended {
            output.effects.append(.pause([transfer]))
        } else if record.isResuming == true {
            output.effects.append(.resume(transfer))
        }
        waitForBegin(number)
        tasks.update(number) { $0.recovered = nil }
    }
}
