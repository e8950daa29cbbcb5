// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The tasks of a session whose end this process waits for. If the daemon has lost its queue, only this process knows
/// of them.
struct OpenTaskRegistry {
    private var open: Set<Int> = []

    /// Compares the tasks with the daemon's after the session was opened, for the first time or again.
    ///
    /// - Returns: The tasks that the daemon had and no longer has although it reported no end, sorted by number. Each
    ///   is returned once.
    mutating func receive(_ state: SessionState) -> [Int] {
        let gone = open.subtracting(state.tasks.map(\.identifier))
        // The ends of finished tasks are reported anyway, because waiting events come first.
        open = Set(state.tasks.filter { !$0.isEnded }.map(\.identifier))
        return gone.sorted()
    }

    /// Records that the daemon has accepted a task.
    mutating func begin(_ task: Int) { open.insert(task) }

    /// Records that the end of a task was reported.
    mutating func end(_ task: Int) { open.remove(task) }
}

extension FailureDescription {
    /// The failure of a task that the daemon has lost: its queue was damaged or removed.
    static let lost = FailureDescription(
        // `URLError.backgroundSessionWasDisconnected`, the error that Apple's platforms report in this case.
        code: -997,
        message: "The transfer service has lost its queue, and this task with it. Start the task again.")
}
