// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// What becomes of tasks, and how their apps hear of it.
extension SessionMachine {
    mutating func noteBegin(of id: TransferID) {
        guard let owner = owners[id],
            let snapshot = sessions[owner.session]?[unfinished: owner.number]?.record.snapshot,
            snapshot.kind == .download, snapshot.received > 0
        else { return }
        tell(
            SessionEvent(task: owner.number, .continued(offset: snapshot.received, total: snapshot.total)),
            in: owner.session)
    }

    mutating func note(_ bytes: Int64, of total: Int64?, in id: TransferID) {
        guard let owner = owners[id], let task = sessions[owner.session]?[unfinished: owner.number] else { return }
        update(id) {
            $0.record.snapshot.noteBytes(bytes)
            if let total { $0.record.snapshot.total = total }
        }
        let isDownload = task.record.snapshot.kind == .download
        tell(
            SessionEvent(task: owner.number, isDownload ? .received(bytes, total: total) : .sent(bytes, total: total)),
            in: owner.session)
    }

    /// Takes down how a task ended, and tells its app, which is started for it if it does not run.
    mutating func end(_ number: Int, in key: SessionKey, as end: TaskEnd) {
        guard let session = sessions[key], let task = session[unfinished: number] else { return }
        clearWait(number, in: key)
        if let transfer = task.transfer { unbind(transfer) }
        sessions[key]?.update(number) { $0.question = nil }
        if let source = task.record.source { effects.append(.removeSource(source)) }
        let rows = rows(of: session, task.record, end, in: key)
        write(.session(key, rows.session))
        write(.task(key, rows.task))
        guard let user = sessions[key]?.user else {
            sessions[key]?.hasWaiting = true
            return abandonIfIdle(key.app)
        }
        tellEnd(of: number, in: key, to: user)
    }

    /// The rows of a session and of its task that ends.
    private func rows(
        of session: Session, _ record: TaskRecord, _ end: TaskEnd, in key: SessionKey
    ) -> (session: SessionRecord, task: TaskRecord) {
        var (record, end, whole) = (record, end, session.record)
        // Above all that a queue which was lost may have told: programs know events by their numbers.
        whole.ended = max(whole.ended + 1, now.nanosecondsSinceEpoch / 1_000_000)
        end.order = whole.ended
        if end.response?.url.isEmpty == true { end.response?.url = record.snapshot.request.url }
        let waiting = usage(of: key.app).bytes
        if waiting + end.answerBytes > limits.bytes, end.failure == nil { end.dropAnswer(key.app, waiting) }
        record.end = end
        record.source = nil
        record.snapshot.isOver = true
        record.snapshot.response = end.response
        record.removeSecrets()
        return (whole, record)
    }

    private mutating func tellEnd(of number: Int, in key: SessionKey, to user: SessionUser) {
        guard let session = sessions[key] else { return }
        let (isLast, isBehind) = (session.unfinishedCount == 0, isBehind(key))
        if isLast, isBehind {
            effects.append(.noteRelaunch(key.app))
            apps[key.app, default: AppState()].calls += 1
            tell(SessionEvent(.called), in: key)
        } else if isLast {
            effects.append(.noteRelaunchAbandoned(key.app))
        }
        for event in session.events(ofEnd: number) { tell(event, in: key) }
        if isLast, isBehind || session.hasWaiting { tellFinished(in: key) }
    }
}
