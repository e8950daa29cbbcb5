// SPDX-License-Identifier: Apache-2.0
public import TransferModel
public import TransferPolicy
internal import TransferQueue

/// Decides what happens next: the state machine of all transfers.
///
/// A pure value: the same events at the same moments with the same seed give the same effects, in the daemon, in an
/// embedding program, in tests and in the lab. It knows no file, clock or network; whoever drives it saves what an
/// event changed and then carries the effects out.
///
/// An event costs the same with a thousand waiting transfers and with a million, and allocates nothing once its tables
/// have grown, as long as the policy is a ``StagedPolicy``; with any other each event asks about all discretionary
/// transfers that wait.
///
/// ## Topics
/// - ``apply(_:at:using:)``
/// - ``submit(_:_:at:using:into:)``
/// - ``take(_:at:)``
/// - ``explanation(of:at:)``
/// - ``learned(at:boot:)``
public struct Scheduler: ~Copyable, Sendable {
    var core: SchedulerCore<IndexedQueue>

    /// A scheduler without transfers that knows nothing of the machine yet.
    ///
    /// - Parameters:
    ///   - policy: decides about discretionary work.
    ///   - learned: what an earlier run learned, as ``learned(at:boot:)`` told it.
    ///   - boot: names the boot that the machine is in: any text that differs from boot to boot.
    public init(
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = DefaultPolicy(),
        learned: Learned = Learned(), boot: String = "", startingAt now: Moment
    ) {
        core = SchedulerCore(
            configuration: configuration, policy: policy, learned: learned, boot: boot, startingAt: now)
    }

    /// Takes one event in and gives out what is to be done, in order.
    ///
    /// An event that does not fit the state (a report for a transfer that is over, a second submission) changes
    /// nothing: it comes from a race between a command and the executor.
    public mutating func apply(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        apply(event, at: now, using: &generator, into: &effects)
        return effects
    }

    /// The same, adding what is to be done to `effects`, so that one buffer serves for all events.
    @specialized(where Generator == SplitMix64)
    public mutating func apply<Generator: RandomNumberGenerator>(
        _ event: Event, at now: Moment, using generator: inout Generator, into effects: inout [Effect]
    ) {
        core.apply(event, at: now, using: &generator, into: &effects)
    }

    /// Takes a new transfer in as ``Event/submitted(_:_:)`` does, where many come one after the other: what it asks for is
    /// not copied into an event, which takes as long as a third of the rest.
    @specialized(where Generator == SplitMix64)
    public mutating func submit<Generator: RandomNumberGenerator>(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: Moment, using generator: inout Generator,
        into effects: inout [Effect]
    ) {
        core.submit(id, traits, at: now, using: &generator, into: &effects)
    }

    /// Takes in what the store knew, as ``Event/recovered(_:_:_:)`` does with one, but looks at nothing else: what may
    /// start is decided with the next event, which sees all of them. One that is here already stays as it is.
    ///
    /// Costs some ten nanoseconds for each that has no dates and no state of its own.
    public mutating func take(_ transfers: borrowing RecoveredTransfers, at now: Moment) {
        core.take(transfers, at: now)
    }

    /// Decides by another policy from now on, what is queued and running included. Costs a look at every transfer.
    public mutating func setPolicy(
        _ policy: any Policy, at now: Moment, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        core.setPolicy(policy, at: now, using: &generator, into: &effects)
        return effects
    }

    /// Transfers that are not over.
    public var openCount: Int { core.transfers.count }

    /// Whether there is a transfer of that number that is not over.
    public func contains(_ id: TransferID) -> Bool { core.transfers.entry(of: id) != nil }

    /// Whether no attempt is under way: the end of each has been reported.
    public var isIdle: Bool { core.transfers.active.isEmpty }

    /// Whether an attempt of the transfer is under way, its end not yet reported.
    public func holdsSlot(_ id: TransferID) -> Bool { core.transfers.active.number(of: id) != nil }

    /// The rate at which the transfer runs, in bytes a second, smoothed; nil before any was seen.
    public func rate(of id: TransferID) -> Int64? { core.transfers.entry(of: id)?.rate }

    /// The budgets of metered bytes, with what is spent.
    package var budgets: ByteBudgetBook { core.assessment.context.budgets }

    /// The local time zone's rules.
    package var localTime: LocalTimeRules { core.assessment.conditions.localTime }

    /// What was learned of this machine.
    public var history: PolicyHistory { core.assessment.context.history }

    /// What to keep across restarts. Asked for after ``Effect/saveLearned``, before the end, and now and then.
    public func learned(at now: Moment, boot: String) -> Learned { core.learned(at: now, boot: boot) }

    /// Why the transfer waits at `now`, and what alone would release it; nil when there is no such transfer.
    ///
    /// Costs a handful of policy calls, and a look at each of the last changes of the machine; meant for people, not
    /// for every event.
    public func explanation(of id: TransferID, at now: Moment) -> Explanation? { core.explanation(of: id, at: now) }

    /// An app's relaunch limiter for people: its delay, what caused it and when it ends; nil while the delay is 0.
    public func relaunchDelay(of app: String, at now: Moment) -> RelaunchLimiter.Explanation? {
        core.transfers.relaunchDelays.explanation(of: app, at: now)
    }

    /// The same of all apps whose delay is not 0, by the apps' names.
    public func relaunchDelays(at now: Moment) -> [(app: String, delay: RelaunchLimiter.Explanation)] {
        core.transfers.relaunchDelays.apps.compactMap { app in
            relaunchDelay(of: app, at: now).flatMap { $0.cause == .none ? nil : (app, $0) }
        }
    }
}
