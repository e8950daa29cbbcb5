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

/// A command on its way through the inbox.
struct ActionRequest: Sendable {
    var ids: [TransferID]
    var action: TransferAction
    /// Whether to answer only when all transfers that are cancelled have ended.
    var awaitsEnd: Bool
    var reply: CheckedContinuation<[ActionOutcome], any Error>
}

/// A cancellation that is answered once its transfers have ended.
struct AwaitedEnd {
    var ids: Set<TransferID>
    var outcomes: [ActionOutcome]
    var reply: CheckedContinuation<[ActionOutcome], any Error>
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
        guard state != .ended else { throw EngineEndedError() }
        guard !ids.isEmpty else { return [] }
        return try await withCheckedThrowingContinuation { reply in
            let request = ActionRequest(ids: ids, action: action, awaitsEnd: awaitsEnd, reply: reply)
            if !inbox.put(.action(request)) { reply.resume(throwing: EngineEndedError()) }
        }
    }

    // MARK: In the engine's turn

    func carryOut(_ request: ActionRequest) async {
        var outcomes: [ActionOutcome] = []
        for id in request.ids {
            let outcome =
                hasLooked
                ? await carryOut(request.action, on: id) : await carryOutBeforeFirstLook(request.action, on: id)
            outcomes.append(outcome)
        }
        await settle()
        let stopping = request.awaitsEnd ? request.ids.filter { scheduler.contains($0) } : []
        if stopping.isEmpty {
            answer(request.reply, outcomes)
        } else {
            awaitedEnds.append(AwaitedEnd(ids: Set(stopping), outcomes: outcomes, reply: request.reply))
        }
    }

    private func carryOut(_ action: TransferAction, on id: TransferID) async -> ActionOutcome {
        guard scheduler.contains(id) else { return .notFound }
        switch action {
        case .pause:
            return await decide(.paused(id)).contains(.savePaused(id, true)) ? .done : .unchanged
        case .resume:
            let effects = await decide(.resumed(id))
            return effects.contains { $0 == .savePaused(id, false) || $0.isSavedRetry(of: id) } ? .done : .unchanged
        case .cancel:
            await decide(.cancelled(id))
            return scheduler.contains(id) ? .stopping : .done
        case .hold(let holder, let why):
            await decide(.held(id, by: holder, why: why), saving: [.held(id, TransferHold(by: holder, why: why))])
            return .done
        case .release:
            await decide(.released(id), saving: [.held(id, nil)])
            return .done
        }
    }

    private func answer(_ reply: CheckedContinuation<[ActionOutcome], any Error>, _ outcomes: [ActionOutcome]) {
        if let trouble, !unsaved.isEmpty {
            reply.resume(throwing: trouble)
        } else {
            reply.resume(returning: outcomes)
        }
    }

    /// Answers those who waited for the end of a transfer, which has been saved as far as it can be.
    func answerAwaitedEnds(of id: TransferID) {
        guard !awaitedEnds.isEmpty else { return }
        for index in awaitedEnds.indices { awaitedEnds[index].ids.remove(id) }
        for awaited in awaitedEnds where awaited.ids.isEmpty {
            answer(awaited.reply, awaited.outcomes.map { $0 == .stopping ? .done : $0 })
        }
        awaitedEnds.removeAll(where: \.ids.isEmpty)
    }

    /// Answers those who waited for ends that will not come in this run.
    func refuseAwaitedEnds() {
        for awaited in awaitedEnds { awaited.reply.resume(throwing: EngineEndedError()) }
        awaitedEnds = []
    }
}

extension Effect {
    fileprivate func isSavedRetry(of transfer: TransferID) -> Bool {
        if case .saveRetry(transfer, _) = self { true } else { false }
    }
}
