// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Reports the events of tasks to the app.
extension Session {
    /// Sends events to the process that has the session open, if there is one.
    mutating func send(_ events: [SessionEvent]) {
        if audience.user != nil { output.effects += events.map { .send(key, $0) } }
    }

    /// Sends all waiting events to a process again, because it may have missed some. The process recognizes an event
    /// by its number.
    mutating func resendEvents(_ name: String) {
        guard audience.user?.name == name else { return }
        if environment.isInBackground, tasks.needsApp { send([SessionEvent(.called)]) }
        send(audience.waitingEvents(of: tasks))
    }

    /// Records that the process has closed the session, or is gone.
    mutating func leave(isGone: Bool) {
        audience.leave(isGone: isGone, tasks)
        // A request would wait forever if no app can be started to reply to it.
        if !record.allowsLaunch { for number in tasks.awaitingReply.sorted() { letBegin(number) } }
        output.mayAbandon = true
    }

    mutating func reportContinuation(of number: Int) {
        guard let snapshot = tasks[unfinished: number]?.record.snapshot, snapshot.kind == .download,
            snapshot.received > 0
        else { return }
        send([SessionEvent(task: number, .continued(offset: snapshot.received, total: snapshot.total))])
    }

    mutating func update(_ bytes: Int64, of total: Int64?, in number: Int) {
        guard let snapshot = tasks[unfinished: number]?.record.snapshot else { return }
        tasks.update(number) {
            $0.record.snapshot.recordBytes(bytes)
            if let total { $0.record.snapshot.total = total }
        }
        let isDownload = snapshot.kind == .download
        send([SessionEvent(task: number, isDownload ? .received(bytes, total: total) : .sent(bytes, total: total))])
    }

    // MARK: Ends

    /// Records the outcome of a task and reports it to the app.
    mutating func end(_ number: Int, as end: TaskEnd) {
        guard let task = tasks[unfinished: number] else { return }
        clearWait(number)
        if let transfer = task.transfer { unbind(transfer, of: number) }
        tasks.update(number) { $0.unansweredEvent = nil }
        if let source = task.record.source { output.effects.append(.removeSource(source)) }
        var session = record
        // Exceeds every number that a lost queue may have reported, because programs identify events by number.
        session.ended = max(session.ended + 1, environment.now.nanosecondsSinceEpoch / 1_000_000)
        write(.session(key, session))
        write(.task(key, self.record(of: task.record, as: end, order: session.ended)))
        guard audience.user != nil else {
            audience.recordEvent()
            output.mayAbandon = true
            return
        }
        let isInBackground = environment.isInBackground
        if tasks.unfinishedCount == 0 {
            output.effects.append(isInBackground ? .reportRelaunch(key.app) : .reportRelaunchAbandoned(key.app))
        }
        send(audience.newEndEvents(of: number, tasks, isInBackground: isInBackground))
    }

    /// Returns the row of a task that ends.
    private func record(of task: TaskRecord, as end: TaskEnd, order: Int64) -> TaskRecord {
        var (task, end) = (task, end)
        end.order = order
        if end.response?.url.isEmpty == true { end.response?.url = task.snapshot.request.url }
        let waiting = environment.usage.bytes
        if waiting + end.responseBytes > environment.limits.bytes, end.failure == nil {
            end.dropResponse(key.app, waiting)
        }
        task.end = end
        task.source = nil
        task.snapshot.isEnded = true
        task.snapshot.response = end.response
        task.removeSecrets()
        return task
    }
}
