// SPDX-License-Identifier: Apache-2.0
public import TransferModel
internal import TransferScheduling

/// An action on unfinished transfers.
///
/// ```swift
/// let outcomes = try await engine.control(ids, .hold(by: "backup", why: "the backup is running"))
/// ```
public enum TransferAction: Hashable, Sendable {
    /// Pauses the transfer until it is resumed. A running attempt is stopped and keeps its bytes.
    case pause
    /// Ends a pause, or the wait after a failure.
    case resume
    /// Ends the transfer and removes its partial file.
    case cancel
    /// Holds the transfer back until it is released. A running attempt is stopped and keeps its bytes.
    ///
    /// A transfer has at most one hold; a new hold replaces the previous hold. Both texts are shown to the user.
    case hold(by: String, why: String)
    /// Removes a hold.
    case release
}

/// The effect of an action on a transfer.
public enum ActionOutcome: Hashable, Sendable {
    /// The action took effect and is durable.
    case done
    /// The action changed nothing. For example, a paused transfer was paused, or a running transfer was resumed.
    case unchanged
    /// The transfer is canceled and ends when its attempt has stopped. After a crash before that moment, the transfer
    /// continues.
    case stopping
    /// No unfinished transfer has this ID.
    case notFound
}

extension TransferEngine {
    /// Performs an action on several transfers, in one turn. Returns after the effect is durable.
    ///
    /// One commit saves all effects. Before the first snapshot of the conditions, each transfer has its own commit.
    ///
    /// - Returns: An outcome for each of `ids`, in the order of `ids`.
    /// - Throws: `TransferStoreError` if the effect could not be saved. The action has then taken effect and is saved
    ///   with the next change. `EngineEndedError` after the end of the engine.
    @discardableResult
    public func control(_ ids: [TransferID], _ action: TransferAction) async throws -> [ActionOutcome] {
        try await request(ids, action, awaitsEnd: false)
    }

    /// Cancels transfers and returns after the ends of all of them are durable. A running transfer ends with its
    /// attempt.
    ///
    /// - Returns: Either `done` or `notFound` for each of `ids`.
    /// - Throws: The same errors as ``control(_:_:)``.
    @discardableResult
    public func cancelAwaitingEnd(_ ids: [TransferID]) async throws -> [ActionOutcome] {
        try await request(ids, .cancel, awaitsEnd: true)
    }

    /// Pauses a transfer until it is resumed, and keeps its bytes. Returns after the pause is durable.
    ///
    /// - Throws: The same errors as ``control(_:_:)``.
    @discardableResult
    public func pause(_ id: TransferID) async throws -> ActionOutcome { try await control([id], .pause)[0] }

    /// Resumes a paused transfer, or ends the wait after a failure. Returns after the effect is durable.
    ///
    /// - Throws: The same errors as ``control(_:_:)``.
    @discardableResult
    public func resume(_ id: TransferID) async throws -> ActionOutcome { try await control([id], .resume)[0] }

    /// Cancels a transfer and removes its partial file. Does not wait for the end of a running attempt.
    ///
    /// To wait for the end, use ``cancelAwaitingEnd(_:)``.
    ///
    /// - Throws: The same errors as ``control(_:_:)``.
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
