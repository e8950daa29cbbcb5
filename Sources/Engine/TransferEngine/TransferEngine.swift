// SPDX-License-Identifier: Apache-2.0
public import Metrics
internal import TransferModel
public import TransferPolicy
public import TransferScheduling

/// Carries out what the scheduler decides: one inbox, from which one actor takes all that is asked for and reported.
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
public final class TransferEngine: Sendable {
    /// The states of transfers, kept up to date; nil if nobody asks for them.
    public let registry: TransferRegistry?
    /// Everything there is to tell, in order. One consumer; what nobody reads is kept.
    ///
    /// Submissions, changes, pauses, starts, progress, stops, failures and ends are told of every transfer. Why one waits
    /// (``TransferUpdate/Kind/waiting(_:)``) is told only of those that are watched, see ``watch(_:)``.
    public let updates: AsyncStream<EngineUpdate>
    let inbox = Inbox()
    let loop: EngineLoop

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
        let (updates, continuation) = AsyncStream.makeStream(of: EngineUpdate.self)
        (self.registry, self.updates) = (registry, updates)
        let sink = UpdateSink(continuation, registry: registry)
        let writer = StoreWriter(store: store, updates: continuation)
        let attempts = Attempts(executor: executor, inbox: inbox)
        let driver = SchedulerDriver(
            alarm: alarm, configuration: configuration, policy: policy, seed: seed,
            records: TransferRecords(store: store, updates: continuation), writer: writer, updates: sink,
            attempts: attempts, ends: AwaitedEnds(writer: writer),
            metrics: EngineMetrics(factory: metrics ?? MetricsSystem.factory), savesLearned: savesLearned)
        loop = EngineLoop(inbox: inbox, store: store, conditions: conditions, driver: driver)
    }

    /// Runs the engine until `shutDown()` is called or the task is cancelled; either way running transfers are
    /// checkpointed before it returns, and the ports are closed.
    ///
    /// - Throws: `TransferStoreError` when the queue cannot be read at the start, or something could not be saved to the
    ///   end.
    public func run() async throws {
        try await loop.run()
    }
}
