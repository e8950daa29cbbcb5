// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Decides about one session. The enclosing ``SessionMachine`` passes in events and collects the output.
struct Session: Sendable {
    /// The external values on which a session's decisions depend.
    struct Environment: Sendable {
        var now = WallTime(nanosecondsSinceEpoch: 0)
        /// Whether the program that uses the session is in the background. The program is the session's app, or
        /// another program of the same container.
        var isInBackground = false
        /// The app's limits. ``usage`` is how much of them the app uses.
        var limits = SessionLimits()
        var usage = TaskUsage()
    }

    /// The results of an event.
    struct Output: Sendable {
        /// The changed rows, which are saved first.
        var changes: [SessionChange] = []
        var effects: [SessionEffect] = []
        /// The transfers that now belong to a task; the task is `nil` for a transfer that no longer belongs to any.
        var owners: [(id: TransferID, task: Int?)] = []
        /// Whether the app has handled all events of a task or replied to a request.
        var hasHandledEvents = false
        /// Whether the app may have nothing left to be started for.
        var mayAbandon = false
    }

    let key: SessionKey
    var record: SessionRecord
    var audience = SessionAudience()
    var tasks = TaskTable()
    var environment = Environment()
    var output = Output()

    init(_ key: SessionKey, _ record: SessionRecord) { (self.key, self.record) = (key, record) }

    // MARK: Changing

    /// Changes a row. The row is saved before the event's effects are performed.
    mutating func write(_ change: SessionChange) {
        put(change)
        // The session's row is saved only once, in its final state.
        if case .session = change { output.changes.removeAll { if case .session = $0 { true } else { false } } }
        output.changes.append(change)
    }

    /// Changes and saves the row of an unfinished task.
    mutating func change(_ number: Int, _ body: (inout TaskRecord) -> Void) {
        guard var record = tasks[unfinished: number]?.record else { return }
        body(&record)
        write(.task(key, record))
    }

    /// Changes a row in memory.
    mutating func put(_ change: SessionChange) {
        switch change {
        case .session(_, let record): self.record = record
        case .task(_, let record): tasks.put(record)
        case .taskRemoved(_, let number): tasks.remove(number)
        case .removed: break
        }
    }
}
