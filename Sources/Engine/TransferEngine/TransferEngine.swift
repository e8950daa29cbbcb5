// SPDX-License-Identifier: Apache-2.0
public import Metrics
internal import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Carries out what the scheduler decides: the one actor, with one inbox.
///
/// Each message is one event: the scheduler answers with effects, what they change is saved, and only then are they
/// performed; reports that came while something was being saved are decided one after the other and saved together. All
/// effects are safe to repeat, so starting again after a crash is a re-run: the engine reads the queue
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
    /// The states of transfers, kept up to date; nil if nobody asks for them.
    public nonisolated let registry: TransferRegistry?
    /// Without anything learned until `run()` has read the store.
    var scheduler: Scheduler
    var generator: SplitMix64
    var metrics: EngineMetrics
    /// What the scheduler does not know of transfers that are not over, as far as anybody has asked for it in this run:
    /// of those that only wait, the store keeps it.
    var records: [TransferID: TransferRecord] = [:]
    /// Changes that could not be saved yet; they go before the next ones.
    var unsaved: [StoreChange] = []
    /// Why they could not be saved; nil once they are.
    var trouble: TransferStoreError?
    /// Saves what can wait, beside the inbox. Awaited before anything else is saved, so that the order stays.
    var writer: Task<Void, Never>?
    var state = RunState.idle
    /// What was asked for before the first look at the machine; nil after it. Until then the queue stays in the store: a
    /// start decided on "unknown" would be wrong.
    var early: [TransferID: EarlyTransfer]? = [:]
    /// What the store has of these, while the queue is handed to the scheduler.
    var entering: [TransferID: RecoveredTransfer] = [:]
    /// Why the queue could not be read after the first look; ends the run.
    var recoveryFailure: (any Error)?
    /// Who wants to know why a transfer waits, before anybody has looked at the machine.
    var awaitingExplanations: [(id: TransferID, reply: CheckedContinuation<Explanation?, Never>)] = []
    /// Who waits for the ends of cancelled transfers.
    var awaitedEnds: [AwaitedEnd] = []
    /// The announcement of sleep that is still to be answered.
    var announcedSleep: Fact<SleepState>?
    /// The one that was answered last.
    var answeredSleep: Fact<SleepState>?
    /// When what was learned was last handed to the store.
    var learnedSaved: Instant

    /// Everything there is to tell, in order. One consumer; what nobody reads is kept.
    ///
    /// Submissions, changes, pauses, starts, progress, stops, failures and ends are told of every transfer. Why one waits
    /// (``TransferUpdate/Kind/waiting(_:)``) is told only of those that are watched, see ``watch(_:)``.
    public nonisolated let updates: AsyncStream<EngineUpdate>
    let updateContinuation: AsyncStream<EngineUpdate>.Continuation
    let inbox = Inbox()
    /// What has been decided and waits to be saved and done.
    var turn = Turn()
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
    ///   - registry: the states of transfers, which the engine keeps up to date. It holds what the store has already.
    ///   - metrics: where counts and times go (see `EngineMetrics`); nil is the process's own, as bootstrapped by then.
    ///   - seed: for the jitter of retries; the same seed and events give the same decisions.
    public init(
        store: any TransferStore, executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = DefaultPolicy(),
        savesLearned: Bool = true, registry: TransferRegistry? = nil, metrics: (any MetricsFactory)? = nil, seed: UInt64
    ) {
        self.store = store
        self.executor = executor
        self.conditionSource = conditions
        self.alarm = alarm
        self.configuration = configuration
        self.policy = policy
        self.savesLearned = savesLearned
        self.registry = registry
        self.metrics = EngineMetrics(factory: metrics ?? MetricsSystem.factory)
        let now = alarm.now()
        learnedSaved = now.instant
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        generator = SplitMix64(seed: seed)
        (updates, updateContinuation) = AsyncStream.makeStream()
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
        // A task of its own, because a cancelled one can read no stream and save nothing: the cancellation comes in as a
        // message, and the end takes the same way as any other.
        let life = Task { try await live() }
        try await withTaskCancellationHandler {
            try await life.value
        } onCancel: { [inbox] in
            inbox.put(.shutDown)
        }
    }

    private func live() async throws {
        let snapshots = conditionSource.snapshots()
        let signals = alarm.signals()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await readLearned()) } catch { outcome = .failure(error) }
        switch outcome {
        case .success:
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [inbox] in
                    for await snapshot in snapshots { inbox.put(.conditions(snapshot)) }
                }
                group.addTask { [inbox] in
                    for await signal in signals { inbox.put(.alarm(signal)) }
                }
                group.addTask { [inbox, measurements, executor] in
                    for await (id, specification) in measurements {
                        let available = executor.availableSpace(for: specification)
                        inbox.put(.command(.spaceMeasured(id, available: available)))
                    }
                }
                await work()
                group.cancelAll()
            }
        case .failure:
            await refuseWhatWaits()
        }
        alarm.set(nil)
        await conditionSource.stop()
        await store.close()
        state = .ended
        refuseAwaitedEnds()
        updateContinuation.finish()
        try outcome.get()
        if let recoveryFailure { throw recoveryFailure }
        if !unsaved.isEmpty, let trouble { throw trouble }
    }

    // MARK: The inbox

    /// Takes the messages until the end is asked for; every message that came before it is answered.
    private func work() async {
        while true {
            let messages = await inbox.take()
            for (index, message) in messages.enumerated() {
                switch message {
                case .shutDown, .executorEnded:
                    inbox.putBack(messages[(index + 1)...])
                    await settle()
                    return await wind()
                case .report(let id, let attempt, let report):
                    await handle(report, of: id, attempt: attempt)
                case .unreadable(let id, let attempt):
                    await giveUp(id, attempt: attempt)
                case .conditions, .alarm:
                    // What has to stop must not wait for what is still to be saved.
                    await take(message)
                case .submit, .change, .answer, .policy, .budgets, .action, .command, .explain, .ping:
                    await settle()
                    await take(message)
                }
                if recoveryFailure != nil {
                    // Nothing of a queue that is known in part is carried out.
                    inbox.putBack(messages[(index + 1)...])
                    return await wind()
                }
            }
            await settle()
            await letSleep()
        }
    }

    /// Takes one message that is no report; what it leads to is saved and done on return.
    private func take(_ message: Message) async {
        switch message {
        case .conditions(let snapshot):
            updateContinuation.yield(.conditions(snapshot))
            noteSleep(snapshot.sleep)
            await handle(.conditionsChanged(snapshot))
            if let asked = early {
                early = nil
                await enter(asked)
                answerAwaitingExplanations()
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
        case .policy(let policy, let reply):
            await decide(by: policy)
            reply.resume()
        case .budgets(let limits):
            await carryOut(limits)
        case .action(let request):
            await carryOut(request)
        case .explain(let id, let reply):
            await explain(id, to: reply)
        case .ping(let reply):
            reply.resume()
        case .command(let event):
            if hasLooked {
                await carryOut(event)
            } else {
                await carryOutBeforeFirstLook(event)
            }
        case .report, .unreadable, .shutDown, .executorEnded:
            break  // The reader's own affair.
        }
    }

    /// Everything that waits and runs is decided by another policy from now on.
    private func decide(by policy: any Policy) async {
        self.policy = policy
        let now = alarm.now()
        await note(scheduler.setPolicy(policy, at: now, using: &generator), at: now)
        await settle()
    }
}
