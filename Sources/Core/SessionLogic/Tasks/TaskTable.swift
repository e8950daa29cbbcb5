// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The tasks of a session by number, with running totals.
struct TaskTable: Sendable {
    private var tasks: [Int: SessionTask] = [:]
    /// The numbers of the ended tasks, by the order of their ends.
    private(set) var ends: [Int64: Int] = [:]
    /// The numbers of the tasks that wait for a reply of the app.
    private(set) var awaitingReply: Set<Int> = []
    private(set) var unfinishedCount = 0
    /// The resources that all tasks together use.
    private(set) var usage = TaskUsage()

    /// All tasks, in no particular order.
    var values: some Collection<SessionTask> { tasks.values }

    var isEmpty: Bool { tasks.isEmpty }

    /// Whether the app must reply to an event, or all tasks have ended and events wait for the app.
    var needsApp: Bool { !awaitingReply.isEmpty || (!ends.isEmpty && unfinishedCount == 0) }

    /// The numbers of the unfinished tasks, in ascending order.
    var unfinished: [Int] { tasks.filter { $0.value.record.end == nil }.keys.sorted() }

    /// The number of events that the app has not handled.
    var waitingEventCount: Int { ends.values.reduce(0) { $0 + (tasks[$1]?.record.waitingEvents.count ?? 0) } }

    subscript(_ number: Int) -> SessionTask? { tasks[number] }

    /// The task with that number if it is unfinished; `nil` otherwise.
    subscript(unfinished number: Int) -> SessionTask? { tasks[number].flatMap { $0.record.end == nil ? $0 : nil } }

    /// Finds an event that waits to be acknowledged.
    func find(_ event: EventNumber) -> (task: Int, index: Int, kinds: [SessionEvent.Kind])? {
        let (order, index) = event.quotientAndRemainder(dividingBy: TaskEnd.maximumEventCount)
        guard let number = ends[order], let kinds = tasks[number]?.record.end?.kinds, kinds.indices.contains(Int(index))
        else { return nil }
        return (number, Int(index), kinds)
    }

    // MARK: Changing

    /// Adds a task, or replaces its row.
    mutating func put(_ record: TaskRecord) {
        let number = record.snapshot.identifier
        var task = tasks[number] ?? SessionTask(record: record)
        remove(number)
        task.record = record
        task.bytes = record.bookkeepingBytes
        tasks[number] = task
        if let end = record.end { ends[end.order] = number } else { unfinishedCount += 1 }
        if task.unansweredEvent != nil { awaitingReply.insert(number) }
        usage.tasks += 1
        usage.bytes += task.bytes
    }

    mutating func remove(_ number: Int) {
        guard let task = tasks.removeValue(forKey: number) else { return }
        if let end = task.record.end { ends[end.order] = nil } else { unfinishedCount -= 1 }
        awaitingReply.remove(number)
        usage.tasks -= 1
        usage.bytes -= task.bytes
    }

    /// Changes the state of a task in memory only. A restart forgets the change.
    mutating func update(_ number: Int, _ body: (inout SessionTask) -> Void) {
        guard let index = tasks.index(forKey: number) else { return }
        body(&tasks.values[index])
        if tasks.values[index].unansweredEvent != nil {
            awaitingReply.insert(number)
        } else {
            awaitingReply.remove(number)
        }
    }
}

/// A task of a session with its current state.
struct SessionTask: Sendable {
    var record: TaskRecord
    var transfer: TransferID?
    /// The event that the app must reply to.
    var unansweredEvent: SessionEvent.Kind?
    /// The transfer that an earlier run left. Cleared once the engine runs.
    var recovered: RecoveredTaskTransfer?
    /// The date at which the app is asked whether the task may begin.
    var beginRequestDate: WallTime?
    /// The bytes that the task counts toward its app's quota.
    var bytes = 0

    init(record: TaskRecord) { self.record = record }

    var isChallenged: Bool {
        if case .challenged? = unansweredEvent { true } else { false }
    }
}
