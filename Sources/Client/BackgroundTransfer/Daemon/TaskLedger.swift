// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The tasks of a session whose end this process waits for: where the daemon has lost its queue, nobody else knows of them.
struct TaskLedger {
    private var open: Set<Int> = []

    /// The session was opened, for the first time or again.
    ///
    /// - Returns: the tasks that the daemon had and has no more, though it has told no end of them, in the order of their
    ///   numbers. They are told of once.
    mutating func take(_ state: SessionState) -> [Int] {
        let gone = open.subtracting(state.tasks.map(\.identifier))
        // The ends of those that are over were told before: what waits comes first.
        open = Set(state.tasks.filter { !$0.isOver }.map(\.identifier))
        return gone.sorted()
    }

    /// The daemon has taken a task over.
    mutating func begin(_ task: Int) { open.insert(task) }

    /// The task's end was told.
    mutating func end(_ task: Int) { open.remove(task) }
}

extension FailureDescription {
    /// The daemon has lost a task: its queue was damaged, or somebody has removed it.
    static let lost = FailureDescription(
        // `URLError.backgroundSessionWasDisconnected`, which is what Apple's systems tell then.
        code: -997,
        message: "The transfer service has lost this task with its queue. Begin it anew.")
}
