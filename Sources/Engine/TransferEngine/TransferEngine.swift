// SPDX-License-Identifier: Apache-2.0
public import Metrics
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
///     let id = try await engine.submit(specification, watching: true)
///     for await update in engine.updates { … }
/// }
/// ```
///
/// ## Topics
/// - ``run()``
/// - ``submit(_:key:watching:)``
/// - ``change(_:_:)``
/// - ``updates``
public actor TransferEngine {
    let store: any TransferStore
    let executor: any TransferExecutor
    let conditionSource: any ConditionSource
    let alarm: any Alarm
    let configuration: SchedulerConfiguration
    var policy: any Policy
    let savesLearned: Bool
    /// Without anything learned until `run()` has read the store.
    var scheduler: Scheduler
    var generator: SplitMix64
    var metrics: EngineMetrics
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
    var awaitingConditions: [EarlyTransfer]? = []
    /// When what was learned was last handed to the store.
    var learnedSaved: Instant

    /// Everything there is to tell, in order. One consumer; what nobody reads is kept.
    ///
    /// Starts, progress, pauses, failures and ends are told of every transfer. Why one waits
    /// (``TransferUpdate/Kind/waiting(_:)``) is told only of those that are watched, see ``watch(_:)``.
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
    ///   - savesLearned: whether what is learned of the machine is kept for later runs; false where the conditions are
    ///     made up, which would teach what is not so.
    ///   - metrics: where counts and times go (see `EngineMetrics`); nil is the process's own, as bootstrapped by then.
    ///   - seed: for the jitter of retries; the same seed and events give the same decisions.
    public init(
        store: any TransferStore, executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = DefaultPolicy(),
        savesLearned: Bool = true, metrics: (any MetricsFactory)? = nil, seed: UInt64
    ) {
        self.store = store
        self.executor = executor
        self.conditionSource = conditions
        self.alarm = alarm
        self.configuration = configuration
        self.policy = policy
        self.savesLearned = savesLearned
        self.metrics = EngineMetrics(factory: metrics ?? MetricsSystem.factory)
        let now = alarm.now()
        learnedSaved = now.instant
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
        do { outcome = .success(try await readStore()) } catch { outcome = .failure(error) }
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

    // MARK: The inbox

    /// Takes the messages one by one until the end is asked for; every message that came before it is answered.
    private func work(through stored: [StoredTransfer]) async {
        awaitingConditions = stored.map { EarlyTransfer(stored: $0) }
        for await message in inbox {
            switch message {
            case .conditions(let snapshot):
                updateContinuation.yield(.conditions(snapshot))
                await handle(.conditionsChanged(snapshot))
                if let early = awaitingConditions {
                    awaitingConditions = nil
                    for transfer in early { await enter(transfer) }
                }
                saveLearnedIfDue()
            case .alarm(let signal):
                await handle(.woken)
                // A record of a clock that is set afterwards would take the step for time that went by.
                if signal == .wallClockSet { saveLearnedLater() } else { saveLearnedIfDue() }
            case .submit(let submission):
                await take(submission)
            case .change(let id, let change, let continuation):
                await carryOut(change, of: id, continuation)
            case .answer(let id, let answer, let continuation):
                await carryOut(answer, of: id, continuation)
            case .policy(let policy):
                await decide(by: policy)
            case .command(let event):
                if hasLooked {
                    await carryOut(event)
                } else {
                    await carryOutBeforeFirstLook(event)
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
            case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
            case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
            case .executorEnded: inboxContinuation.finish()
            case .conditions, .alarm, .command, .policy, .shutDown: break  // Too late to act on, or asked for again.
            }
        }
        await ended
        await commit(learnedNow())
        await flush()
    }

    /// Answers those who asked for something before the engine failed to start.
    private func refuseWhatWaits() async {
        inboxContinuation.finish()
        for await message in inbox {
            switch message {
            case .submit(let submission): submission.reply.resume(throwing: EngineEndedError())
            case .change(_, _, let reply), .answer(_, _, let reply): reply.resume(throwing: EngineEndedError())
            case .conditions, .alarm, .command, .policy, .report, .shutDown, .executorEnded:
                break  // Nobody waits for these.
            }
        }
    }

    /// One event: decided, saved, performed.
    ///
    /// Only stops go first: they need no record, and a store that is slow to answer must not keep bytes flowing.
    ///
    /// - Parameter savingLearned: whether what was learned is to be saved whatever the effects say.
    func handle(_ event: Event, saving changes: [StoreChange] = [], savingLearned: Bool = false) async {
        let now = alarm.now()
        let effects = scheduler.apply(event, at: now, using: &generator)
        await carryOut(effects, at: now, saving: changes, savingLearned: savingLearned)
    }

    /// Everything that waits and runs is decided by another policy from now on.
    private func decide(by policy: any Policy) async {
        self.policy = policy
        let now = alarm.now()
        await carryOut(scheduler.setPolicy(policy, at: now, using: &generator), at: now)
    }

    private func carryOut(
        _ effects: [Effect], at now: Moment, saving changes: [StoreChange] = [], savingLearned: Bool = false
    ) async {
        for effect in effects where effect.isStop { perform(effect, at: now) }
        let learned = savingLearned || effects.contains(.saveLearned) ? learnedNow() : []
        await commit(changes + effects.compactMap(storeChange(for:)) + learned)
        for effect in effects where !effect.isStop { perform(effect, at: now) }
    }
}

extension Effect {
    /// Whether it ends an attempt.
    fileprivate var isStop: Bool { if case .stop = self { true } else { false } }
}
