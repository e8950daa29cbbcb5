// SPDX-License-Identifier: Apache-2.0
import TransferModel

/// A session as it stands.
struct Session: Sendable {
    var record: SessionRecord
    /// The process that has it open.
    var user: SessionUser?
    /// Whether something had to wait for the app.
    var hasWaiting = false
    private(set) var tasks: [Int: SessionTask] = [:]
    /// The tasks that ended, by their places among the session's ends.
    private(set) var ends: [Int64: Int] = [:]
    /// The tasks whose app is asked something.
    private(set) var asked: Set<Int> = []
    private(set) var unfinishedCount = 0

    init(_ record: SessionRecord) { self.record = record }

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

    /// Everything that waits for the app: the events of ends in their order, then questions.
    var waiting: [SessionEvent] {
        ends.sorted { $0.key < $1.key }.flatMap { order, number in events(ofEnd: number) }
            + asked.sorted().compactMap { number in
                tasks[number]?.question.map { SessionEvent(task: number, $0) }
            }
    }

    /// The events of a task's end that the app has not dealt with.
    func events(ofEnd number: Int) -> [SessionEvent] {
        guard let record = tasks[number]?.record, let end = record.end else { return [] }
        return record.waitingEvents.map { SessionEvent(number: end.number($0.offset), task: number, $0.element) }
    }

    /// Finds an event that waits to be acknowledged.
    func find(_ event: EventNumber) -> (task: Int, place: Int, kinds: [SessionEvent.Kind])? {
        let (order, place) = event.quotientAndRemainder(dividingBy: TaskEnd.mostEvents)
        guard let number = ends[order], let kinds = tasks[number]?.record.end?.kinds, kinds.indices.contains(Int(place))
        else { return nil }
        return (number, Int(place), kinds)
    }

    // MARK: Changing

    /// Puts a task's row in place of the one before. Returns by how much the bytes of its app's bookkeeping have grown.
    mutating func put(_ record: TaskRecord) -> Int {
        let number = record.snapshot.identifier
        var task = tasks[number] ?? SessionTask(record: record)
        if let order = task.record.end?.order { ends[order] = nil }
        if let order = record.end?.order { ends[order] = number }
        unfinishedCount += (record.end == nil ? 1 : 0) - (tasks[number].map { $0.record.end == nil ? 1 : 0 } ?? 0)
        let grown = record.bookkeepingBytes - task.bytes
        task.record = record
        task.bytes += grown
        tasks[number] = task
        return grown
    }

    mutating func remove(_ number: Int) -> SessionTask? {
        guard let task = tasks.removeValue(forKey: number) else { return nil }
        if let end = task.record.end { ends[end.order] = nil } else { unfinishedCount -= 1 }
        asked.remove(number)
        return task
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
}
