// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// The commands to a running engine, and queries about its transfers.
///
/// Commands go through the inbox, and the engine carries them out in the order of the calls. Commands about transfers
/// return after their effect is durable; see also ``control(_:_:)``. Reports about apps and requests to watch return
/// immediately, before they are handled. Queries such as ``explanation(of:)`` do not go through the inbox, so their
/// results may not contain the effect of earlier commands.
extension TransferEngine {
    /// Ends the engine. Every attempt is stopped and its bytes are synced, and the queue is kept. `run()` then
    /// returns.
    public func shutDown() { inbox.put(.shutDown) }

    // MARK: Transfers

    /// Submits a transfer. Returns after the transfer is durable.
    ///
    /// - Parameters:
    ///   - specification: The transfer to submit.
    ///   - key: A key by which the caller can find the transfer in the store in a later run.
    ///   - watching: Whether ``updates`` report why the transfer waits, as after ``watch(_:)``.
    /// - Throws: `TransferStoreError` if the transfer could not be saved, and `RefusedTransferError` if the transfer
    ///   is invalid. Nothing is queued then. `EngineEndedError` after the end of the engine.
    public func submit(
        _ specification: TransferSpecification, key: String? = nil, watching: Bool = false
    ) async throws -> TransferID {
        try await submit([NewTransfer(specification, key: key)], watching: watching)[0]
    }

    /// Submits many transfers in one transaction, all or none. Returns after the transfers are durable.
    ///
    /// Other messages wait in the meantime, about 20 µs for each transfer. Split a batch of many thousands into
    /// batches of some hundred, so that the first transfers can start while the rest is still being submitted.
    ///
    /// - Parameters:
    ///   - transfers: The transfers to submit.
    ///   - watching: Whether ``updates`` report why the transfers wait, as after ``watch(_:)``.
    /// - Returns: The IDs of the transfers, in the order of `transfers`.
    /// - Throws: `TransferStoreError` if the transfers could not be saved, and `RefusedTransferError` for the first
    ///   invalid transfer. No transfer is queued then. `EngineEndedError` after the end of the engine.
    public func submit(_ transfers: [NewTransfer], watching: Bool = false) async throws -> [TransferID] {
        guard !inbox.isClosed else { throw EngineEndedError() }
        try NewTransfer.check(transfers)
        guard !transfers.isEmpty else { return [] }
        return try await ask { .submit(Submission(transfers: transfers, isWatched: watching, reply: $0)) }
    }

    /// Changes the requirements of a waiting or running transfer. Returns after the change is durable.
    ///
    /// A running attempt continues if the change allows it. Otherwise, the attempt is stopped and keeps its bytes.
    ///
    /// - Throws: `TransferChangeError` if the change is invalid. `TransferStoreError` if the transfer does not exist
    ///   or the change could not be saved. `EngineEndedError` after the end of the engine. Nothing is changed then.
    public func change(_ id: TransferID, _ change: TransferChange) async throws {
        try await ask { .change(id, change, $0) }
    }

    // MARK: Logins

    /// Returns the challenges of a transfer that waits for its app to answer a login. Empty if no server requests a
    /// login.
    ///
    /// ``updates`` report the wait with the reason `needsApp`. The challenges are not kept after the end of the
    /// engine. The first attempt of the next run is challenged again.
    public func challenges(of id: TransferID) async -> [AuthenticationChallenge] { await loop.challenges(of: id) }

    /// Answers the challenge of a waiting transfer and lets the transfer continue. Returns after the answer is
    /// durable.
    ///
    /// The answer is sent only to the server that requested the login. If the server rejects the answer, the transfer
    /// waits with a new challenge that reports the rejection. After `ChallengeResponse.refuse`, one more request is
    /// sent, and its 401 ends the transfer, as without an app that can answer.
    ///
    /// - Throws: `ChallengeAnswerError` if the transfer does not wait with a challenge. `TransferStoreError` if the
    ///   answer could not be saved. `EngineEndedError` after the end of the engine. Nothing is changed then.
    public func answerChallenge(_ id: TransferID, with answer: ChallengeResponse) async throws {
        try await ask { .answer(id, answer, $0) }
    }

    // MARK: Watching

    /// Makes ``updates`` report why a transfer waits: the current reasons first, then every change of the reasons.
    ///
    /// Each change costs an explanation, which is a handful of calls to the policy. Do not watch a queue of
    /// thousands.
    public func watch(_ id: TransferID) { send(.watched(id)) }

    /// Stops the reports of ``updates`` about why a transfer waits.
    public func unwatch(_ id: TransferID) { send(.unwatched(id)) }

    /// Returns the current reasons why a transfer waits, or `nil` if no unfinished transfer has this ID.
    ///
    /// Before the first snapshot of the conditions, the result is always `nil`. See ``explanationInTurn(of:)``.
    public func explanation(of id: TransferID) async -> Explanation? { await loop.explanation(of: id) }

    /// Returns the current reasons why transfers wait, without the past waiting times.
    ///
    /// An explanation costs a few policy calls, so that lists of thousands are possible. Equal transfers are explained
    /// once. The engine does nothing else meanwhile: ask for a thousand transfers at a time, and limit the number of
    /// explanations to a hundred. The transfers after the limit are left out.
    package func explanations(of ids: [TransferID], limit: Int) async -> ExplanationBatch {
        await loop.explanations(of: ids, limit: limit)
    }

    /// Returns the reasons why a transfer waits, after all earlier messages and the first snapshot of the conditions.
    ///
    /// - Returns: The explanation, or `nil` if no unfinished transfer has this ID or the engine has ended.
    public func explanationInTurn(of id: TransferID) async -> Explanation? {
        await withCheckedContinuation { reply in
            if !inbox.put(.explain(id, reply)) { reply.resume(returning: nil) }
        }
    }

    /// Returns after the engine has handled and saved all earlier messages, which shows that the engine works.
    /// Returns immediately after the engine's end.
    public func ping() async {
        await withCheckedContinuation { reply in
            if !inbox.put(.ping(reply)) { reply.resume() }
        }
    }

    // MARK: Apps and budgets

    /// Returns the relaunch limiters of all apps whose delay is not 0, with the apps' names and the time of the
    /// reading.
    public func relaunchDelays() async -> (
        delays: [(app: String, delay: RelaunchLimiter.Explanation)], at: ClockReading
    ) {
        await loop.relaunchDelays()
    }

    /// Reports that an app was started, or woken in the background, because of its transfers. Kept across restarts.
    ///
    /// Background work that the app submits from now on waits longer.
    public func appRelaunched(_ app: String) { send(.appRelaunched(app)) }

    /// Reports that the user brought an app to the front. Work that the app's delay held back may start. Kept across
    /// restarts.
    public func appCameToFront(_ app: String) { send(.appCameToFront(app)) }

    /// Reports that an app is not started, although an ended transfer should have started the app. Kept across
    /// restarts.
    public func relaunchAbandoned(_ app: String) { send(.relaunchAbandoned(app)) }

    /// Reports that an app must do something before its transfer continues. A running attempt is stopped and keeps
    /// its bytes.
    ///
    /// The report is not kept after the end of the engine. The app's representative must repeat the report in the next
    /// run.
    public func appNeeded(_ id: TransferID, _ need: AppNeed) { send(.appNeeded(id, need)) }

    /// Reports that the app has performed the action that ``appNeeded(_:_:)`` requested.
    public func appResponded(_ id: TransferID) { send(.appResponded(id)) }

    /// Replaces the budgets of metered bytes, including the bytes spent. Kept across restarts.
    public func setBudgets(_ budgets: ByteBudgetRegistry) { send(.budgetsChanged(budgets)) }

    /// Replaces the limits of metered bytes. A budget that remains keeps its spent bytes.
    ///
    /// Takes effect after all earlier messages, once the engine runs. Kept across restarts.
    public func setBudgetLimits(_ limits: ByteBudgetLimits) { inbox.put(.budgets(limits)) }

    /// Returns the current state of the budgets of metered bytes.
    package func budgets() async -> [BudgetStatus] { await loop.budgets() }

    /// Replaces the policy for all queued and running transfers. Returns after everything is decided again, or
    /// immediately after the end of the engine.
    public func setPolicy(_ policy: any Policy) async {
        await withCheckedContinuation { reply in
            if !inbox.put(.policy(policy, reply)) { reply.resume() }
        }
    }

    /// Replaces the policy after all earlier messages, once the engine runs. Does not wait.
    package func requestPolicy(_ policy: any Policy) { inbox.put(.policy(policy, nil)) }

    private func send(_ command: Event) { inbox.put(.command(command)) }

    /// Puts a message into the inbox and returns the reply.
    func ask<Answer: Sendable>(
        _ message: (CheckedContinuation<Answer, any Error>) -> Message
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { reply in
            if !inbox.put(message(reply)) { reply.resume(throwing: EngineEndedError()) }
        }
    }
}

/// An error that indicates that the engine has ended and accepts no more commands.
public struct EngineEndedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The message for the user.
    public var description: String { "the engine has ended; start a new engine to submit transfers" }
}
