// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// Decides what becomes of one session: a part of ``SessionMachine``, which gives it its events and gathers its output.
struct Session: Sendable {
    /// What a session has to know of the rest while it decides.
    struct Surroundings: Sendable {
        var now = WallTime(nanosecondsSinceEpoch: 0)
        /// Whether nobody works with the program that has the session: its app, or another one of its container.
        var isBehind = false
        /// What its app may have kept, and has.
        var limits = SessionLimits()
        var usage = TaskUsage()
    }

    /// What an event leads to.
    struct Output: Sendable {
        /// The rows that it changes, which are saved first.
        var changes: [SessionChange] = []
        var effects: [SessionEffect] = []
        /// The transfers that became a task's, or are nobody's any more.
        var owners: [(id: TransferID, task: Int?)] = []
        /// Whether the app has dealt with something.
        var hasDealt = false
        /// Whether the app may have nothing left for which it would have been started.
        var mayAbandon = false
    }

    let key: SessionKey
    var record: SessionRecord
    var audience = SessionAudience()
    var tasks = TaskTable()
    var surroundings = Surroundings()
    var output = Output()

    init(_ key: SessionKey, _ record: SessionRecord) { (self.key, self.record) = (key, record) }

    // MARK: Changing

    /// Changes a row, which is saved before the event's effects are performed.
    mutating func write(_ change: SessionChange) {
        put(change)
        // The session's row is saved once, as it is at the end.
        if case .session = change { output.changes.removeAll { if case .session = $0 { true } else { false } } }
        output.changes.append(change)
    }

    /// Changes the row of a task that has not ended, which is saved.
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
