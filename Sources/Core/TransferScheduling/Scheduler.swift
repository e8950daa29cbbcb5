// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
internal import TransferQueue

/// The state machine of all transfers.
///
/// A scheduler decides which transfers start, stop, retry and end.
///
/// The scheduler is a pure value. The same events at the same times with the same seed produce the same effects, in
/// the daemon, in an embedding program, in tests and in `transferlab`. The scheduler uses no file, clock or network.
/// Its owner saves the changes that an event makes and then performs the effects.
///
/// The cost of an event does not depend on the number of waiting transfers. After the tables have grown, an event
/// allocates nothing. Both are true if the policy is a `TablePolicy`. With any other policy, each event evaluates all
/// waiting discretionary transfers.
///
/// ```swift
/// var scheduler = Scheduler(policy: PatiencePolicy(), startingAt: now)
/// let effects = scheduler.apply(event, at: now, using: &generator)
/// ```
///
/// ## Topics
/// - ``apply(_:at:using:)``
/// - ``submit(_:_:at:using:into:)``
/// - ``recover(_:at:)``
/// - ``explanation(of:at:includingWaited:)``
/// - ``statistics(at:boot:)``
public struct Scheduler: ~Copyable, Sendable {
    var core: SchedulerCore<IndexedQueue>

    /// Creates a scheduler without transfers and without knowledge of the machine.
    ///
    /// - Parameters:
    ///   - configuration: The limits and delays.
    ///   - policy: The policy for discretionary work.
    ///   - statistics: The statistics of an earlier run, as ``statistics(at:boot:)`` returned them.
    ///   - boot: An identifier of the current boot, any text that differs from boot to boot.
    ///   - now: The current time.
    public init(
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = PatiencePolicy(),
        statistics: PersistedStatistics = PersistedStatistics(), boot: String = "", startingAt now: ClockReading
    ) {
        core = SchedulerCore(
            configuration: configuration, policy: policy, statistics: statistics, boot: boot, startingAt: now)
    }

    /// Applies an event and returns the resulting effects, in order.
    ///
    /// Perform all returned effects before the next event. An owner that applies an event in the middle, for example
    /// because an effect ended an attempt at once, would then replace the newer ``Effect/wake(_:)`` with the older and
    /// miss a start. Keep such events in a list, and apply them after the last effect.
    ///
    /// An event that does not fit the state changes nothing. Examples are a report for an ended transfer and a second
    /// submission. These events come from races between commands and the executor.
    public mutating func apply(
        _ event: Event, at now: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        apply(event, at: now, using: &generator, into: &effects)
        return effects
    }

    /// Applies an event and appends the resulting effects to `effects`, so that one buffer serves all events.
    @specialized(where Generator == SplitMix64)
    public mutating func apply<Generator: RandomNumberGenerator>(
        _ event: Event, at now: ClockReading, using generator: inout Generator, into effects: inout [Effect]
    ) {
        core.apply(event, at: now, using: &generator, into: &effects)
    }

    /// Submits a new transfer, like ``Event/submitted(_:_:)``, for callers that submit many transfers in a row.
    ///
    /// The traits are not copied into an event. That copy would add a third to the remaining cost.
    @specialized(where Generator == SplitMix64)
    public mutating func submit<Generator: RandomNumberGenerator>(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: ClockReading, using generator: inout Generator,
        into effects: inout [Effect]
    ) {
        core.submit(id, traits, at: now, using: &generator, into: &effects)
    }

    /// Adds transfers from the store, like ``Event/recovered(_:_:_:)``, but without a re-evaluation.
    ///
    /// The next event decides which transfers may start and considers all recovered transfers. A transfer that is
    /// already present stays unchanged.
    ///
    /// Costs about ten nanoseconds for each transfer without dates and individual state.
    public mutating func recover(_ transfers: borrowing RecoveredTransfers, at now: ClockReading) {
        core.recover(transfers, at: now)
    }

    /// Replaces the policy for all transfers, queued and running. Costs an evaluation of every transfer.
    public mutating func setPolicy(
        _ policy: any Policy, at now: ClockReading, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        core.setPolicy(policy, at: now, using: &generator, into: &effects)
        return effects
    }

    /// The number of unfinished transfers.
    public var openCount: Int { core.transfers.queue.count + core.transfers.active.count }

    /// Returns whether an unfinished transfer has this id.
    public func contains(_ id: TransferID) -> Bool { core.transfers.entry(of: id) != nil }

    /// A Boolean value that indicates whether no attempt is active. An attempt is active until its end is reported.
    public var isIdle: Bool { core.transfers.active.isEmpty }

    /// Returns whether an attempt of the transfer is active, including an attempt whose end is not yet reported.
    public func occupiesSlot(_ id: TransferID) -> Bool { core.transfers.active.number(of: id) != nil }

    /// Returns the smoothed rate of the transfer, in bytes per second; `nil` if no rate was measured yet.
    public func rate(of id: TransferID) -> Int64? { core.transfers.entry(of: id)?.rate }

    /// The budgets of metered bytes, including the bytes already spent.
    package var budgets: ByteBudgetRegistry { core.evaluator.context.budgets }

    /// The rules of the local time zone.
    package var localTime: LocalTimeRules { core.evaluator.conditions.localTime }

    /// The observed history of this machine.
    public var history: PolicyHistory { core.evaluator.context.history }

    /// Returns the statistics to keep across restarts. Call this method after ``Effect/saveStatistics``, before the
    /// process ends, and from time to time.
    public func statistics(at now: ClockReading, boot: String) -> PersistedStatistics {
        core.statistics(at: now, boot: boot)
    }

    /// Returns the reasons why the transfer waits at `now` and the changes that would each start it; `nil` if there
    /// is no such transfer.
    ///
    /// Costs a few policy calls, and an evaluation of each recorded change of conditions. Intended for display, not for
    /// every event.
    ///
    /// - Parameters:
    ///   - id: The transfer to explain.
    ///   - now: The current time.
    ///   - includesWaited: Whether the past waiting times are included. Without them, an explanation costs only the
    ///     policy calls.
    public func explanation(
        of id: TransferID, at now: ClockReading, includingWaited includesWaited: Bool = true
    ) -> Explanation? {
        core.transfers.entry(of: id).map {
            core.explanation(of: id, $0, at: now, includingWaited: includesWaited)
        }
    }

    /// Returns an app's relaunch delay for display, with its cause and end; `nil` while the app has no limiter.
    public func relaunchDelay(of app: String, at now: ClockReading) -> RelaunchLimiter.Explanation? {
        core.transfers.relaunchDelays.explanation(of: app, at: now)
    }

    /// Returns the relaunch delays of all apps whose delay has a cause, ordered by app name.
    public func relaunchDelays(at now: ClockReading) -> [(app: String, delay: RelaunchLimiter.Explanation)] {
        core.transfers.relaunchDelays.apps.compactMap { app in
            relaunchDelay(of: app, at: now).flatMap { $0.cause == .none ? nil : (app, $0) }
        }
    }
}
