// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy
public import TransferScheduling

/// Carries out what the scheduler decides: the one actor, with one inbox.
///
/// Each message is one event: the scheduler answers with effects, what they change is saved, and only then are they
/// performed. All effects are safe to repeat, so starting again after a crash is a re-run: the engine reads the queue
/// and hands every unfinished transfer to the scheduler as an event.
///
/// ```swift
/// let engine = TransferEngine(store: store, executor: executor, conditions: source, alarm: alarm)
/// try await withThrowingTaskGroup(of: Void.self) { group in
///     group.addTask { try await engine.run() }
///     let id = try await engine.submit(specification)
///     for await update in engine.updates { … }
/// }
/// ```
///
/// ## Topics
/// - ``run()``
/// - ``submit(_:key:)``
/// - ``updates``
public actor TransferEngine {
    let store: any TransferStore
    let executor: any TransferExecutor
    let conditionSource: any ConditionSource
    let alarm: any Alarm
    var scheduler: Scheduler
    var generator: SplitMix64
    /// What the scheduler does not know of the transfers that are not over.
    var records: [TransferID: TransferRecord] = [:]
    /// Changes that could not be saved yet; they go before the next ones.
    var unsaved: [StoreChange] = []
    /// Why they could not be saved; nil once they are.
    var trouble: TransferStoreError?
    /// Saves what can wait, beside the inbox. Awaited before anything else is saved, so that the order stays.
    var writer: Task<Void, Never>?
    private(set) var state = RunState.idle
    /// What waits for the first look at the machine: a start decided on "unknown" would be wrong. Nil after it.
    private var awaitingConditions: [StoredTransfer]? = []

    /// Everything there is to tell, in order. One consumer; what nobody reads is kept.
    public nonisolated let updates: AsyncStream<EngineUpdate>
    let updateContinuation: AsyncStream<EngineUpdate>.Continuation
    private let inbox: AsyncStream<Message>
    let inboxContinuation: AsyncStream<Message>.Continuation
    /// Whose room on disk is to be measured: away from the actor, which a hung mount must not hold up.
    private let measurements: AsyncStream<(TransferID, TransferSpecification)>
    let measurementContinuation: AsyncStream<(TransferID, TransferSpecification)>.Continuation

    /// How far the engine's one life is.
    enum RunState {
        case idle
        case running
        /// The end was asked for: attempts are being stopped, nothing is started.
        case winding
        case ended
    }

    /// An engine over its ports; nothing starts before `run()`.
    ///
    /// - Parameters:
    ///   - policy: decides about discretionary work.
    ///   - seed: for the jitter of retries; the same seed and events give the same decisions.
    public init(
        store: any TransferStore, executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = DefaultPolicy(),
        seed: UInt64
    ) {
        self.store = store
        self.executor = executor
        self.conditionSource = conditions
        self.alarm = alarm
        let now = alarm.now()
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        generator = SplitMix64(seed: seed)
        (updates, updateContinuation) = AsyncStream.makeStream()
        (inbox, inboxContinuation) = AsyncStream.makeStream()
        (measurements, measurementContinuation) = AsyncStream.makeStream()
    }

    /// Runs the engine until `shutDown()` is called or the task is cancelled; either way running transfers are
    /// checkpointed before it returns, and the ports are closed.
    ///
    /// - Throws: `TransferStoreError` when the queue cannot be read at the start, or something could not be saved to the
    ///   end.
    public func run() async throws {
        guard state == .idle else { return }
        state = .running
        let continuation = inboxContinuation
        // A task of its own, because a cancelled one can read no stream and save nothing: the cancellation comes in as a
        // message, and the end takes the same way as any other.
        let life = Task { try await live() }
        try await withTaskCancellationHandler {
            try await life.value
        } onCancel: {
            continuation.yield(.shutDown)
        }
    }

    private func live() async throws {
        let continuation = inboxContinuation
        let snapshots = conditionSource.snapshots()
        let signals = alarm.signals()
        let outcome: Result<[StoredTransfer], any Error>
        do { outcome = .success(try await store.unfinished()) } catch { outcome = .failure(error) }
        switch outcome {
        case .success(let stored):
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await snapshot in snapshots { continuation.yield(.conditions(snapshot)) }
                }
                group.addTask {
                    for await signal in signals { continuation.yield(.alarm(signal)) }
                }
                group.addTask { [measurements, executor] in
                    for await (id, specification) in measurements {
                        let available = executor.availableSpace(for: specification)
                        continuation.yield(.command(.spaceMeasured(id, available: available)))
                    }
                }
                await work(through: stored)
                group.cancelAll()
            }
        case .failure:
            await refuseWhatWaits()
        }
        alarm.set(nil)
        await conditionSource.stop()
        await store.close()
        state = .ended
        updateContinuation.finish()
        _ = try outcome.get()
        if !unsaved.isEmpty, let trouble { throw trouble }
    }

    /// Ends the engine: every attempt is stopped and its bytes are synced; the queue is kept. `run()` then returns.
    public nonisolated func shutDown() { inboxContinuation.yield(.shutDown) }

    /// Hands a transfer over. On return it is durably stored.
    ///
    /// - Parameter key: names "the same transfer" for the store, where the caller wants to find it again.
    /// - Throws: `TransferStoreError` when it could not be saved; nothing is queued then. `EngineEndedError` after the
    ///   end of the engine.
    public func submit(_ specification: TransferSpecification, key: String? = nil) async throws -> TransferID {
        guard state != .ended else { throw EngineEndedError() }
        return try await withCheckedThrowingContinuation { continuation in
            let message = Message.submit(specification, key: key, continuation)
            if case .terminated = inboxContinuation.yield(message) { continuation.resume(throwing: EngineEndedError()) }
        }
    }

    /// Cancels a transfer: its partial file is removed.
    public nonisolated func cancel(_ id: TransferID) { inboxContinuation.yield(.command(.cancelled(id))) }

    /// Pauses a transfer until it is resumed, keeping its bytes.
    public nonisolated func pause(_ id: TransferID) { inboxContinuation.yield(.command(.paused(id))) }

    /// Resumes a paused transfer; ends the wait after a failure.
    public nonisolated func resume(_ id: TransferID) { inboxContinuation.yield(.command(.resumed(id))) }

    /// Why a transfer waits now; nil when there is none of that number, or it is over.
    public func explanation(of id: TransferID) -> Explanation? { scheduler.explanation(of: id, at: alarm.now()) }

    // MARK: The inbox

    /// Takes the messages one by one until the end is asked for; every message that came before it is answered.
    private func work(through stored: [StoredTransfer]) async {
        awaitingConditions = stored
        for await message in inbox {
            switch message {
            case .conditions(let snapshot):
                updateContinuation.yield(.conditions(snapshot))
                await handle(.conditionsChanged(snapshot))
                if let waiting = awaitingConditions {
                    awaitingConditions = nil
                    for transfer in waiting { await recover(transfer) }
                }
            case .alarm:
                await handle(.woken)
            case .submit(let specification, let key, let continuation):
                await take(specification, key: key, continuation)
            case .command(let event):
                if let waiting = awaitingConditions {
                    await perform(event, beforeFirstLookAt: waiting)
                } else {
                    await handle(event)
                }
            case .report(let id, let attempt, let report):
                await handle(report, of: id, attempt: attempt)
            case .shutDown, .executorEnded:
                await wind()
                return
            }
        }
    }

    /// Stops all attempts and saves what their ends report.
    private func wind() async {
        state = .winding
        let continuation = inboxContinuation
        let executor = executor
        async let ended: Void = {
            await executor.shutdown()
            continuation.yield(.executorEnded)
        }()
        for await message in inbox {
            switch message {
            case .report(let id, let attempt, let report): await save(report, of: id, attempt: attempt)
            case .submit(_, _, let reply): reply.resume(throwing: EngineEndedError())
            case .executorEnded: inboxContinuation.finish()
            case .conditions, .alarm, .command, .shutDown: break  // Too late to act on, or asked for again.
            }
        }
        await ended
        await flush()
    }

    /// Carries out a command before the first look at the machine: on what is stored, since nothing runs yet.
    private func perform(_ command: Event, beforeFirstLookAt waiting: [StoredTransfer]) async {
        switch command {
        case .cancelled(let id):
            guard let transfer = waiting.first(where: { $0.id == id }) else { return }
            awaitingConditions?.removeAll { $0.id == id }
            await commit([.ended(id, .cancelled)])
            if let resume = transfer.resume { executor.discard(resume) }
            tell(id, .cancelled, at: alarm.now())
        case .paused(let id): await setSuspended(id, true, in: waiting)
        case .resumed(let id): await setSuspended(id, false, in: waiting)
        default: break  // Nobody can ask for anything else so early.
        }
    }

    private func setSuspended(_ id: TransferID, _ isSuspended: Bool, in waiting: [StoredTransfer]) async {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
        if waiting[index].isSuspended != isSuspended {
            awaitingConditions?[index].isSuspended = isSuspended
            await commit([.suspended(id, isSuspended)])
        } else if !isSuspended, var retry = waiting[index].retry {
            retry.until = alarm.now().wall
            awaitingConditions?[index].retry = retry
            await commit([.retried(id, retry)])
        }
    }

    /// Answers those who handed something over before the engine failed to start.
    private func refuseWhatWaits() async {
        inboxContinuation.finish()
        for await message in inbox {
            if case .submit(_, _, let reply) = message { reply.resume(throwing: EngineEndedError()) }
        }
    }

    private func take(
        _ specification: TransferSpecification, key: String?,
        _ continuation: CheckedContinuation<TransferID, any Error>
    ) async {
        do {
            let id = try await store.newIdentifier()
            let transfer = StoredTransfer(id: id, specification: specification, key: key)
            try await store.commit([.inserted(transfer)])
            continuation.resume(returning: id)
            guard awaitingConditions == nil else {
                awaitingConditions?.append(transfer)
                return
            }
            records[id] = TransferRecord(specification: specification, resume: nil)
            await handle(.submitted(id, specification.traits))
        } catch {
            continuation.resume(throwing: error)
        }
    }

    private func recover(_ transfer: StoredTransfer) async {
        records[transfer.id] = TransferRecord(specification: transfer.specification, resume: transfer.resume)
        let state = RecoveredState(
            bytes: transfer.resume?.offset ?? 0, total: transfer.resume?.total, retry: transfer.retry,
            isPaused: transfer.isSuspended)
        await handle(.recovered(transfer.id, transfer.specification.traits, state))
    }

    /// One event: decided, saved, performed.
    ///
    /// Only stops go first: they need no record, and a store that is slow to answer must not keep bytes flowing.
    func handle(_ event: Event, saving changes: [StoreChange] = []) async {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        for effect in effects where effect.isStop { perform(effect, at: now) }
        await commit(changes + effects.compactMap(storeChange(for:)))
        for effect in effects where !effect.isStop { perform(effect, at: now) }
    }

}

/// What comes into the engine's inbox.
enum Message: Sendable {
    case conditions(Conditions)
    case alarm(AlarmSignal)
    case submit(TransferSpecification, key: String?, CheckedContinuation<TransferID, any Error>)
    case command(Event)
    case report(TransferID, attempt: Int, ExecutorReport)
    case shutDown
    /// The executor has reported the end of every attempt.
    case executorEnded
}

extension Effect {
    /// Whether it ends an attempt.
    fileprivate var isStop: Bool { if case .stop = self { true } else { false } }
}

/// The engine has ended and takes nothing any more.
public struct EngineEndedError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What to tell people.
    public var description: String { "the engine has ended; start it again to hand transfers over" }
}
