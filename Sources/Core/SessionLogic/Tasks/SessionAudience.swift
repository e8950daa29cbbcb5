// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The process that receives a session's events. Tracks whether events wait while there is no such process.
struct SessionAudience: Sendable {
    /// The process that has the session open.
    private(set) var user: ClientProcess?
    /// Whether an event had to wait for the app.
    private var hasWaiting = false

    /// Records that a process opens the session, and returns the events that wait for it.
    mutating func open(by user: ClientProcess, _ tasks: TaskTable) -> [SessionEvent] {
        self.user = user
        return waitingEvents(of: tasks)
    }

    /// Records that the process has closed the session, or is gone.
    mutating func leave(isGone: Bool, _ tasks: TaskTable) {
        user = nil
        if isGone, !tasks.ends.isEmpty || !tasks.awaitingReply.isEmpty { hasWaiting = true }
    }

    /// Records that there is an event to report. The event waits if no process has the session open.
    mutating func recordEvent() { if user == nil { hasWaiting = true } }

    /// Collects the unacknowledged events of ends in order, then the events that need a reply, then `finishedEvents` if
    /// any event was waiting. Clears the mark of waiting events.
    mutating func waitingEvents(of tasks: TaskTable) -> [SessionEvent] {
        var events = tasks.ends.sorted { $0.key < $1.key }.flatMap { Self.endEvents(of: $0.value, tasks) }
        events += tasks.awaitingReply.sorted().compactMap { number in
            tasks[number]?.unansweredEvent.map { SessionEvent(task: number, $0) }
        }
        return hasWaiting || !tasks.ends.isEmpty ? finished(events) : events
    }

    /// Returns the events of a task that has just ended.
    ///
    /// - Parameter isInBackground: Whether the program that uses the session is in the background.
    mutating func newEndEvents(of number: Int, _ tasks: TaskTable, isInBackground: Bool) -> [SessionEvent] {
        let isLast = tasks.unfinishedCount == 0
        let events = (isLast && isInBackground ? [SessionEvent(.called)] : []) + Self.endEvents(of: number, tasks)
        return isLast && (isInBackground || hasWaiting) ? finished(events) : events
    }

    private mutating func finished(_ events: [SessionEvent]) -> [SessionEvent] {
        hasWaiting = false
        return events + [SessionEvent(.finishedEvents)]
    }

    private static func endEvents(of number: Int, _ tasks: TaskTable) -> [SessionEvent] {
        guard let record = tasks[number]?.record, let end = record.end else { return [] }
        return record.waitingEvents.map { index, kind in
            SessionEvent(number: end.number(index), task: number, kind)
        }
    }
}
