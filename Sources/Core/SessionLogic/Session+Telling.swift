// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Reports the events of tasks to the app.
extension Session {
    /// Sends events to the process that has the session open, if there is one.
    mutating func tell(_ events: [SessionEvent]) {
        if audience.user != nil { output.effects += events.map { .tell(key, $0) } }
    }

    /// Sends all waiting events to a process again, because it may have missed some. The process recognizes an event
    /// by its number.
    mutating func tellAgain(_ name: String) {
        guard audience.user?.name == name else { return }
        if surroundings.isBehind, tasks.needsApp { tell([SessionEvent(.called)]) }
        tell(audience.waitingEvents(of: tasks))
    }

    /// Records that the process has closed the session, or is gone.
    mutating func leave(isGone: Bool) {
        audience.leave(isGone: isGone, tasks)
        // A question would wait forever if nobody can be started to answer it.
        if !record.allowsLaunch { for number in tasks.asked.sorted() { letBegin(number) } }
        output.mayAbandon = true
    }

    mutating func noteBegin(of number: Int) {
        guard let snapshot = tasks[unfinished: number]?.record.snapshot, snapshot.kind == .download,
            snapshot.received > 0
        else { return }
        tell([SessionEvent(task: number, .continued(offset: snapshot.received, total: snapshot.total))])
    }

    mutating func note(_ bytes: Int64, of total: Int64?, in number: Int) {
        guard let snapshot = tasks[unfinished: number]?.record.snapshot else { return }
        tasks.update(number) {
            $0.record.snapshot.noteBytes(bytes)
            if let total { $0.record.snapshot.total = total }
        }
        let isDownload = snapshot.kind == .download
        tell([SessionEvent(task: number, isDownload ? .received(bytes, total: total) : .sent(bytes, total: total))])
    }

    // MARK: Ends

    /// Records the outcome of a task and reports it to the app.
    mutating func end(_ number: Int, as end: TaskEnd) {
        guard let task = tasks[unfinished: number] else { return }
        clearWait(number)
        if let transfer = task.transfer { unbind(transfer, of: number) }
        tasks.update(number) { $0.question = nil }
        if let source = task.record.source { output.effects.append(.removeSource(source)) }
        var session = record
        // Exceeds every number that a lost queue may have reported, because programs identify events by number.
        session.ended = max(session.ended + 1, surroundings.now.nanosecondsSinceEpoch / 1_000_000)
        write(.session(key, session))
        write(.task(key, self.record(of: task.record, as: end, order: session.ended)))
        guard audience.user != nil else {
            audience.noteEvent()
            output.mayAbandon = true
            return
        }
        let isBehind = surroundings.isBehind
        if tasks.unfinishedCount == 0 {
            output.effects.append(isBehind ? .noteRelaunch(key.app) : .noteRelaunchAbandoned(key.app))
        }
        tell(audience.newEndEvents(of: number, tasks, isBehind: isBehind))
    }

    /// Returns the row of a task that ends.
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
}
