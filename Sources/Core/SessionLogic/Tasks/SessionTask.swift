// SPDX-License-Identifier: Apache-2.0
import TransferModel

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
