// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// What an app hears of its tasks.
extension Session {
    mutating func tell(_ event: SessionEvent) { if user != nil { output.effects.append(.tell(key, event)) } }

    mutating func open(by user: SessionUser) {
        self.user = user
        tellWaiting()
    }

    /// Tells everything that waits: the events of ends in their order, then questions.
    private mutating func tellWaiting() {
        for (_, number) in ends.sorted(by: { $0.key < $1.key }) { tellEnd(of: number) }
        for number in asked.sorted() {
            if let question = tasks[number]?.question { tell(SessionEvent(task: number, question)) }
        }
        if hasWaiting || !ends.isEmpty { tellFinished() }
    }

    private mutating func tellEnd(of number: Int) {
        guard let record = tasks[number]?.record, let end = record.end else { return }
        for (place, kind) in record.waitingEvents {
            tell(SessionEvent(number: end.number(place), task: number, kind))
        }
    }

    private mutating func tellFinished() {
        hasWaiting = false
        tell(SessionEvent(.finishedEvents))
    }

    /// Tells a process once more all that waits for it, since it may have missed some: it knows what has a number.
    mutating func tellAgain(_ name: String) {
        guard user?.name == name else { return }
        if surroundings.isBehind, needsApp { tell(SessionEvent(.called)) }
        tellWaiting()
    }

    /// The process has done with the session, or is gone.
    mutating func leave(isGone: Bool) {
        user = nil
        if isGone, !ends.isEmpty || !asked.isEmpty { hasWaiting = true }
        // A question that nobody can be started for would wait for ever.
        if !allowsLaunch { for number in asked.sorted() { letBegin(number) } }
        output.mayAbandon = true
    }

    mutating func noteBegin(of number: Int) {
        guard let snapshot = self[unfinished: number]?.record.snapshot, snapshot.kind == .download,
            snapshot.received > 0
        else { return }
        tell(SessionEvent(task: number, .continued(offset: snapshot.received, total: snapshot.total)))
    }

    mutating func note(_ bytes: Int64, of total: Int64?, in number: Int) {
        guard let snapshot = self[unfinished: number]?.record.snapshot else { return }
        update(number) {
            $0.record.snapshot.noteBytes(bytes)
            if let total { $0.record.snapshot.total = total }
        }
        let isDownload = snapshot.kind == .download
        tell(SessionEvent(task: number, isDownload ? .received(bytes, total: total) : .sent(bytes, total: total)))
    }

    // MARK: Ends

    /// Takes down how a task ended, and tells its app.
    mutating func end(_ number: Int, as end: TaskEnd) {
        guard let task = self[unfinished: number] else { return }
        clearWait(number)
        if let transfer = task.transfer { unbind(transfer, of: number) }
        update(number) { $0.question = nil }
        if let source = task.record.source { output.effects.append(.removeSource(source)) }
        var session = record
        // Above all that a queue which was lost may have told: programs know events by their numbers.
        session.ended = max(session.ended + 1, now.nanosecondsSinceEpoch / 1_000_000)
        write(.session(key, session))
        write(.task(key, self.record(of: task.record, as: end, order: session.ended)))
        if user == nil {
            hasWaiting = true
            output.mayAbandon = true
        } else {
            tellNewEnd(of: number)
        }
    }

    /// The row of a task that ends.
    private func record(of task: TaskRecord, as end: TaskEnd, order: Int64) -> TaskRecord {
        var (task, end) = (task, end)
        end.order = order
        if end.response?.url.isEmpty == true { end.response?.url = task.snapshot.request.url }
        let waiting = surroundings.usage.bytes
        if waiting + end.answerBytes > surroundings.limits.bytes, end.failure == nil {
            end.dropAnswer(key.app, waiting)
        }
        task.end = end
        task.source = nil
        task.snapshot.isOver = true
        task.snapshot.response = end.response
        task.removeSecrets()
        return task
    }

    private mutating func tellNewEnd(of number: Int) {
        let (isLast, isBehind) = (unfinishedCount == 0, surroundings.isBehind)
        if isLast { output.effects.append(isBehind ? .noteRelaunch(key.app) : .noteRelaunchAbandoned(key.app)) }
        if isLast, isBehind { tell(SessionEvent(.called)) }
        tellEnd(of: number)
        if isLast, isBehind || hasWaiting { tellFinished() }
    }
}
