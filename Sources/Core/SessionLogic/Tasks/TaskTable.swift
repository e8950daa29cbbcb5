// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// The tasks of a session by their numbers, with what is counted of them.
struct TaskTable: Sendable {
    private var tasks: [Int: SessionTask] = [:]
    /// The tasks that ended, by their places among the session's ends.
    private(set) var ends: [Int64: Int] = [:]
    /// The tasks whose app is asked something.
    private(set) var asked: Set<Int> = []
    private(set) var unfinishedCount = 0
    /// The room that all tasks take in their app's bookkeeping.
    private(set) var usage = TaskUsage()

    /// All tasks, in no order.
    var values: some Collection<SessionTask> { tasks.values }

    var isEmpty: Bool { tasks.isEmpty }

    /// Whether the app has something to do before its tasks go on, or has everything to hear.
    var needsApp: Bool { !asked.isEmpty || (!ends.isEmpty && unfinishedCount == 0) }

    /// The numbers of the tasks that have not ended, in their order.
    var unfinished: [Int] { tasks.filter { $0.value.record.end == nil }.keys.sorted() }

    /// The number of events that the app has not dealt with.
    var waitingEventCount: Int { ends.values.reduce(0) { $0 + (tasks[$1]?.record.waitingEvents.count ?? 0) } }

    subscript(_ number: Int) -> SessionTask? { tasks[number] }

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

    /// Adds a task, or replaces its row.
    mutating func put(_ record: TaskRecord) {
        let number = record.snapshot.identifier
        var task = tasks[number] ?? SessionTask(record: record)
        remove(number)
        task.record = record
        task.bytes = record.bookkeepingBytes
        tasks[number] = task
        if let end = record.end { ends[end.order] = number } else { unfinishedCount += 1 }
        if task.question != nil { asked.insert(number) }
        usage.tasks += 1
        usage.bytes += task.bytes
    }

    mutating func remove(_ number: Int) {
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
