// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferModel
internal import TransferPolicy
internal import TransferScheduling

/// The state of a transfer, decoded from its stored texts.
struct TransferState {
    var resume: ResumePoint?
    var retry: RetryState?
    var isSuspended: Bool
    var hold: TransferHold?
    var relaunchDelay: RelaunchLimiter.RelaunchDelay?

    /// - Parameter values: The texts, in the order of `EventKind.allCases`.
    init(_ values: [String?], of id: Int64) throws {
        func decoded<Value: Decodable>(_ type: Value.Type, _ kind: EventKind) throws -> Value? {
            try values[kind.index].map { try JSONText.decode(type, from: $0, kind.column, of: id) }
        }
        resume = try decoded(ResumePoint.self, .resume)
        retry = try decoded(RetryState.self, .retry)
        isSuspended = values[EventKind.suspended.index] == "1"
        hold = try decoded(TransferHold.self, .hold)
        relaunchDelay = try decoded(RelaunchLimiter.RelaunchDelay.self, .relaunchDelay)
    }

    /// The state in the form that the scheduler recovers.
    var recovered: RecoveredState {
        RecoveredState(
            bytes: resume?.bytes ?? 0, total: resume?.total, retry: retry, isPaused: isSuspended,
            relaunchDelay: relaunchDelay, held: hold.map { RecoveredBlock(by: $0.holder, why: $0.why) })
    }
}
