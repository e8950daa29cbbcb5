// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferScheduling

/// A command about transfers that have not ended.
public enum TransferAction: Hashable, Sendable {
    /// Pauses the transfer until it is resumed. A running attempt is stopped and keeps its bytes.
    case pause
    /// Ends a pause, or the wait after a failure.
    case resume
    /// Ends the transfer; its partial file is removed.
    case cancel
    /// Holds the transfer back until it is released. A running attempt is stopped and keeps its bytes. A transfer has one
    /// such hold: the latest counts. The texts are for people.
    case hold(by: String, why: String)
    /// Takes back a hold.
    case release
}

/// The effect of a command on a transfer.
public enum ActionOutcome: Hashable, Sendable {
    /// The command took effect, durably.
    case done
    /// There was nothing to change: what is paused was to be paused, what runs was to be resumed.
    case unchanged
    /// The transfer is cancelled and ends once its attempt has stopped. Until then a crash would have it go on.
    case stopping
    /// There is no unfinished transfer of that number.
    case notFound
}

extension TransferEngine {
    /// Carries out a command on several transfers, in one turn and with one save. On return it is durably stored.
    ///
    /// - Returns: an outcome for each of `ids`, in their order.
    /// - Throws: `TransferStoreError` if it could not be saved; then it has taken effect and is saved with the next change.
    ///   `EngineEndedError` after the end of the engine.
    @discardableResult
    public func control(_ ids: [TransferID], _ action: TransferAction) async throws -> [ActionOutcome] {
        try await request(ids, action, awaitsEnd: false)
    }

    /// Cancels transfers and returns when all of them have ended, durably: what runs ends with its attempt.
    ///
    /// - Returns: for each of `ids` either `done` or `notFound`.
    /// - Throws: as ``control(_:_:)``.
    @discardableResult
    public func cancelAwaitingEnd(_ ids: [TransferID]) async throws -> [ActionOutcome] {
        try await request(ids, .cancel, awaitsEnd: true)
    }

    /// Pauses a transfer until it is resumed, keeping its bytes. On return that is durably stored. Throws as
    /// ``control(_:_:)``.
    @discardableResult
    public func pause(_ id: TransferID) async throws -> ActionOutcome { try await control([id], .pause)[0] }

    /// Resumes a paused transfer; ends the wait after a failure. On return that is durably stored. Throws as
    /// ``control(_:_:)``.
    @discardableResult
    public func resume(_ id: TransferID) async throws -> ActionOutcome { try await control([id], .resume)[0] }

    /// Cancels a transfer: its partial file is removed. Does not wait for the end of an attempt, see
    /// ``cancelAwaitingEnd(_:)``. Throws as ``control(_:_:)``.
    @discardableResult
    public func cancel(_ id: TransferID) async throws -> ActionOutcome { try await control([id], .cancel)[0] }

    private func request(
        _ ids: [TransferID], _ action: TransferAction, awaitsEnd: Bool
    ) async throws -> [ActionOutcome] {
        guard !inbox.isClosed else { throw EngineEndedError() }
        guard !ids.isEmpty else { return [] }
        return try await ask { .action(ActionRequest(ids: ids, action: action, awaitsEnd: awaitsEnd, reply: $0)) }
    }
}
