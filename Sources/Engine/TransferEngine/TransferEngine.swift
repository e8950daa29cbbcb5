// SPDX-License-Identifier: Apache-2.0
public import Metrics
internal import TransferModel
public import TransferPolicy
public import TransferScheduling

/// An engine that carries out the decisions of the scheduler.
///
/// One actor receives every command and report through one inbox. Each message becomes one event, for which the
/// scheduler returns effects. The engine saves the changes of the effects and only then performs the effects. Reports
/// that arrive during a commit are decided one after another and saved together.
///
/// All effects are safe to repeat, so a start after a crash repeats them: the engine reads the queue and passes every
/// unfinished transfer to the scheduler.
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
/// ### Running
/// - ``run()``
/// - ``shutDown()``
/// - ``ping()``
/// ### Transfers
/// - ``submit(_:key:watching:)``
/// - ``submit(_:watching:)``
/// - ``change(_:_:)``
/// - ``control(_:_:)``
/// - ``pause(_:)``
/// - ``resume(_:)``
/// - ``cancel(_:)``
/// - ``cancelAwaitingEnd(_:)``
/// ### Logins
/// - ``challenges(of:)``
/// - ``answerChallenge(_:with:)``
/// ### Watching
/// - ``updates``
/// - ``registry``
/// - ``watch(_:)``
/// - ``unwatch(_:)``
/// - ``explanation(of:)``
/// - ``explanationInTurn(of:)``
/// ### Apps
/// - ``appRelaunched(_:)``
/// - ``appCameToFront(_:)``
/// - ``relaunchAbandoned(_:)``
/// - ``appNeeded(_:_:)``
/// - ``appResponded(_:)``
/// - ``relaunchDelays()``
/// ### Policies and budgets
/// - ``setPolicy(_:)``
/// - ``setBudgets(_:)``
/// - ``setBudgetLimits(_:)``
public final class TransferEngine: Sendable {
    /// The states of transfers, which the engine keeps up to date, or `nil` if the engine has no registry.
    public let registry: TransferRegistry?
    /// All updates of the engine, in order. Supports one consumer; unread updates are buffered without a limit.
    ///
    /// Submissions, changes, pauses, starts, progress, stops, failures, and ends are reported for every transfer. The
    /// reasons for a wait (``TransferUpdate/Kind/waiting(_:)``) are reported only for watched transfers; see
    /// ``watch(_:)``.
    public let updates: AsyncStream<EngineUpdate>
    let inbox = Inbox()
    let loop: EngineLoop

    /// Creates an engine on top of its ports. Nothing starts before `run()`.
    ///
    /// - Parameters:
    ///   - store: The durable queue.
    ///   - executor: The executor that moves the bytes.
    ///   - conditions: The source of the machine's conditions: power, network, and sleep.
    ///   - alarm: The clocks and the alarm that wakes the engine.
    ///   - configuration: The limits and delays of the scheduler.
    ///   - policy: The policy that decides about discretionary work.
    ///   - savesStatistics: Whether the engine saves the statistics of the machine for later runs. Pass `false` if the
    ///     conditions are simulated, because simulated conditions would distort the statistics.
    ///   - registry: The states of transfers, which the engine keeps up to date. The caller adds the stored transfers
    ///     first. Without a registry, ``TransferUpdate/status`` is `nil` in every update.
    ///   - metrics: The destination of counts and times (see `EngineMetrics`). The value `nil` uses the factory that
    ///     the process has bootstrapped at this time.
    ///   - seed: The seed for the jitter of retries. The same seed and events produce the same decisions. The
    ///     default is random.
    public init(
        store: any TransferStore, executor: any TransferExecutor, conditions: any ConditionSource, alarm: any Alarm,
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = PatiencePolicy(),
        savesStatistics: Bool = true, registry: TransferRegistry? = nil, metrics: (any MetricsFactory)? = nil,
        seed: UInt64 = .random(in: .min ... .max)
    ) {
        let (updates, continuation) = AsyncStream.makeStream(of: EngineUpdate.self)
        (self.registry, self.updates) = (registry, updates)
        let sink = UpdateSink(continuation, registry: registry)
        let writer = StoreWriter(store: store, updates: continuation)
        let attempts = Attempts(executor: executor, inbox: inbox)
        let driver = SchedulerDriver(
            alarm: alarm, configuration: configuration, policy: policy, seed: seed,
            records: TransferRecords(store: store, updates: continuation), writer: writer, updates: sink,
            attempts: attempts, replies: PendingReplies(writer: writer),
            metrics: EngineMetrics(factory: metrics ?? MetricsSystem.factory), savesStatistics: savesStatistics)
        loop = EngineLoop(inbox: inbox, store: store, conditions: conditions, driver: driver)
    }

    /// Runs the engine until `shutDown()` is called or the task is canceled.
    ///
    /// In both cases, running transfers are checkpointed and the ports are closed before the method returns.
    ///
    /// - Throws: `TransferStoreError` if the queue cannot be read at the start, or if changes are still unsaved at
    ///   the end.
    public func run() async throws {
        try await loop.run()
    }
}
