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
    /// The process that has it open.
    var user: SessionUser?
    var surroundings = Surroundings()
    var output = Output()
    /// Whether something had to wait for the app.
    var hasWaiting = false
    private(set) var tasks: [Int: SessionTask] = [:]
    /// The tasks that ended, by their places among the session's ends.
    private(set) var ends: [Int64: Int] = [:]
    /// The tasks whose app is asked something.
    private(set) var asked: Set<Int> = []
    private(set) var unfinishedCount = 0
    /// What all of its tasks take.
    private(set) var usage = TaskUsage()

    init(_ key: SessionKey, _ record: SessionRecord) { (self.key, self.record) = (key, record) }

    var now: WallTime { surroundings.now }

    /// Whether the app has something to do before its tasks go on, or has everything to hear.
    var needsApp: Bool { !asked.isEmpty || (!ends.isEmpty && unfinishedCount == 0) }

    /// Whether the app can be started, and wants to be.
    var allowsLaunch: Bool { record.settings.sendsLaunchEvents && record.registration != nil && !record.isQuit }

    /// The numbers of the tasks that have not ended, in their order.
    var unfinished: [Int] { tasks.filter { $0.value.record.end == nil }.keys.sorted() }

    /// The number of events that the app has not dealt with.
    var waitingEventCount: Int { ends.values.reduce(0) { $0 + (tasks[$1]?.record.waitingEvents.count ?? 0) } }

    /// A task that has not ended.
    subscript(unfinished number: Int) -> SessionTask? { tasks[number].flatMap { $0.record.end == nil ? $0 : nil } }

    /// Finds an event that waits to be acknowledged.
    func find(_ event: EventNumber) -> (task: Int, place: Int, kinds: [SessionEvent.Kind])? {
        let (order, place) = event.quotientAndRemainder(dividingBy: TaskEnd.mostEvents)
        guard let number = ends[order], let kinds = tasks[number]?.record.end?.kinds, kinds.indices.contains(Int(place))
        else { return nil }
        return (number, Int(place), kinds)
    }

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
        guard var record = self[unfinished: number]?.record else { return }
        body(&record)
        write(.task(key, record))
    }

    /// Changes a row in memory.
    mutating func put(_ change: SessionChange) {
        switch change {
        case .session(_, let record): self.record = record
        case .task(_, let record):
            let number = record.snapshot.identifier
            var task = tasks[number] ?? SessionTask(record: record)
            take(out: number)
            task.record = record
            task.bytes = record.bookkeepingBytes
            tasks[number] = task
            if let end = record.end { ends[end.order] = number } else { unfinishedCount += 1 }
            if task.question != nil { asked.insert(number) }
            usage.tasks += 1
            usage.bytes += task.bytes
        case .taskRemoved(_, let number): take(out: number)
        case .removed: break
        }
    }

    private mutating func take(out number: Int) {
        guard let task = tasks.removeValue(forKey: number) else { return }
        if let end = task.record.end { ends[end.order] = nil } else { unfinishedCount -= 1 }
        asked.remove(number)
        usage.tasks -= 1
        usage.bytes -= task.bytes
    }

    /// Changes what a restart forgets of a task.
    mutating func update(_ number: Int, _ body: (inout SessionTask) -> Void) {
        guard let index = tasks.index(forKey: number) else { return }
        body(&tasks.values[index])
        if tasks.values[index].question != nil { asked.insert(number) } else { asked.remove(number) }
    }
}

/// A task of a session as it stands.
struct SessionTask: Sendable {
    var record: TaskRecord
    var transfer: TransferID?
    /// The question that the app is to answer.
    var question: SessionEvent.Kind?
    /// The transfer that an earlier run left, until the engine runs.
    var recovered: RecoveredTransfer?
    /// The date at which the app is asked whether the task may begin.
    var asksAt: WallTime?
    /// The bytes that it counts for in its app's bookkeeping.
    fileprivate(set) var bytes = 0

    init(record: TaskRecord) { self.record = record }

    var isChallenged: Bool {
        if case .challenged? = question { true } else { false }
    }
}
