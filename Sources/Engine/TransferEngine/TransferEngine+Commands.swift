// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
public import TransferScheduling

/// What can be asked of a running engine. All of it takes its turn in the inbox and is carried out in the order in
/// which it was asked for. Commands about transfers return after they are durable, see also ``control(_:_:)``; what is
/// reported of apps is a fact, for whose saving nobody waits.
extension TransferEngine {
    /// Ends the engine: every attempt is stopped and its bytes are synced; the queue is kept. `run()` then returns.
    public func shutDown() { inbox.put(.shutDown) }

    // MARK: Transfers

    /// Hands a transfer over. On return it is durably stored.
    ///
    /// - Parameters:
    ///   - key: names "the same transfer" for the store, where the caller wants to find it again.
    ///   - watching: whether ``updates`` are to tell why it waits, as after ``watch(_:)``.
    /// - Throws: `TransferStoreError` when it could not be saved, `RefusedTransferError` where it makes no sense; nothing
    ///   is queued then. `EngineEndedError` after the end of the engine.
    public func submit(
        _ specification: TransferSpecification, key: String? = nil, watching: Bool = false
    ) async throws -> TransferID {
        try await submit([NewTransfer(specification, key: key)], watching: watching)[0]
    }

    /// Hands many transfers over, all or none: one transaction, one turn. On return they are durably stored.
    ///
    /// Other messages wait for their turn meanwhile, some 20 µs a transfer: many thousands are better handed over some
    /// hundreds at a time, so that the first begin while the rest is still on its way.
    ///
    /// - Parameter watching: whether ``updates`` are to tell why they wait, as after ``watch(_:)``.
    /// - Returns: their numbers, in the order of `transfers`.
    /// - Throws: `TransferStoreError` when they could not be saved, `RefusedTransferError` that names the first that makes
    ///   no sense; none is queued then. `EngineEndedError` after the end of the engine.
    public func submit(_ transfers: [NewTransfer], watching: Bool = false) async throws -> [TransferID] {
        guard !inbox.isClosed else { throw EngineEndedError() }
        try NewTransfer.check(transfers)
        guard !transfers.isEmpty else { return [] }
        return try await ask { .submit(Submission(transfers: transfers, isWatched: watching, reply: $0)) }
    }

    /// Changes what a transfer asks for, whether it waits or runs. On return the change is durably stored.
    ///
    /// One that runs goes on where the change allows that, else its attempt is stopped with its bytes kept.
    ///
    /// - Throws: `TransferChangeError` where the change makes no sense, `TransferStoreError` where there is no such
    ///   transfer or it could not be saved, `EngineEndedError` after the end of the engine; nothing is changed then.
    public func change(_ id: TransferID, _ change: TransferChange) async throws {
        try await ask { .change(id, change, $0) }
    }

    // MARK: Logins

    /// What the server wants of a transfer that waits for its app to answer a login; empty where none does.
    ///
    /// Told by ``updates`` as a pause with the reason `needsApp`. Forgotten at the end of the engine: the next run's first
    /// attempt is challenged again.
    public func challenges(of id: TransferID) async -> [AuthenticationChallenge] { await loop.challenges(of: id) }

    /// Answers the challenge that a transfer waits with, and lets it go on. On return the answer is durably stored.
    ///
    /// The answer is for the server that asked, and no other gets it. Where it is refused, the transfer waits with a new
    /// challenge, which says so. After ``ChallengeAnswer/refuse`` the server is asked once more and its 401 is the
    /// transfer's end, as it would have been without anybody to ask.
    ///
    /// - Throws: `ChallengeAnswerError` where the transfer waits with no challenge, `TransferStoreError` where the answer
    ///   could not be saved, `EngineEndedError` after the end of the engine; nothing is changed then.
    public func answerChallenge(_ id: TransferID, with answer: ChallengeAnswer) async throws {
        try await ask { .answer(id, answer, $0) }
    }

    // MARK: Watching

    /// Has ``updates`` tell why a transfer waits: how it stands now, then whenever the reasons change.
    ///
    /// Each change costs an explanation, a handful of policy calls; nobody watches a whole queue of thousands.
    public func watch(_ id: TransferID) { send(.watched(id)) }

    /// Has ``updates`` no longer tell why a transfer waits.
    public func unwatch(_ id: TransferID) { send(.unwatched(id)) }

    /// Why a transfer waits now; nil when there is none of that number, or it is over.
    public func explanation(of id: TransferID) async -> Explanation? { await loop.explanation(of: id) }

    /// Why a transfer waits, asked in turn: all that was asked for before is done, and somebody has looked at the machine.
    ///
    /// - Returns: nil where there is none of that number, it is over, or the engine has ended.
    public func explanationInTurn(of id: TransferID) async -> Explanation? {
        await withCheckedContinuation { reply in
            if !inbox.put(.explain(id, reply)) { reply.resume(returning: nil) }
        }
    }

    /// Returns when the engine has dealt with all that came before, and saved it: a sign that it works. Returns at once
    /// after the engine's end.
    public func ping() async {
        await withCheckedContinuation { reply in
            if !inbox.put(.ping(reply)) { reply.resume() }
        }
    }

    // MARK: Apps and budgets

    /// The relaunch limiters of all apps whose delay is not 0, by the apps' names, and the moment they were asked at.
    public func relaunchDelays() async -> (delays: [(app: String, delay: RelaunchLimiter.Explanation)], at: Moment) {
        await loop.relaunchDelays()
    }

    /// A person uses an app: policies that go by recency learn of it.
    public func appUsed(_ app: String) { send(.appUsed(app)) }

    /// An app was started, or woken in the background, because of its transfers: background work that it hands over from
    /// now on waits longer. Kept across restarts.
    public func appRelaunched(_ app: String) { send(.appRelaunched(app)) }

    /// A person brought an app to the front: what its delay held may begin. Kept across restarts.
    public func appCameToFront(_ app: String) { send(.appCameToFront(app)) }

    /// An app that was to be started because one of its transfers ended will not be. Kept across restarts.
    public func relaunchAbandoned(_ app: String) { send(.relaunchAbandoned(app)) }

    /// A transfer's app has to do something before it goes on; what runs is stopped, keeping its bytes.
    ///
    /// Forgotten at the end of the engine: whoever speaks for the app says it again.
    public func appNeeded(_ id: TransferID, _ need: AppNeed) { send(.appNeeded(id, need)) }

    /// The app has done what ``appNeeded(_:_:)`` asked for.
    public func appAnswered(_ id: TransferID) { send(.appAnswered(id)) }

    /// Sets the budgets of metered bytes, in place of those before; what is spent is part of them. Kept across restarts.
    public func setBudgets(_ budgets: ByteBudgetBook) { send(.budgetsChanged(budgets)) }

    /// Sets the limits of metered bytes, in place of those before; what is spent of a budget that stays is kept.
    ///
    /// Takes effect in turn, once the engine runs. Kept across restarts.
    public func setBudgetLimits(_ limits: ByteBudgetLimits) { inbox.put(.budgets(limits)) }

    /// The budgets of metered bytes, as they stand now.
    package func budgets() async -> [BudgetStatus] { await loop.budgets() }

    /// Decides by another policy from now on, what is queued and running included. Returns when all is decided anew, at once
    /// after the end of the engine.
    public func setPolicy(_ policy: any Policy) async {
        await withCheckedContinuation { reply in
            if !inbox.put(.policy(policy, reply)) { reply.resume() }
        }
    }

    private func send(_ command: Event) { inbox.put(.command(command)) }

    /// Puts a message into the inbox whose answer comes by a continuation.
    func ask<Answer: Sendable>(
        _ message: (CheckedContinuation<Answer, any Error>) -> Message
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { reply in
            if !inbox.put(message(reply)) { reply.resume(throwing: EngineEndedError()) }
        }
    }
}

/// The engine has ended and takes nothing any more.
public struct EngineEndedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to tell people.
    public var description: String { "the engine has ended; start it again to hand transfers over" }
}
