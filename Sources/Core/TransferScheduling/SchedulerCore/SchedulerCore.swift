// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The state machine behind ``Scheduler``, on top of a queue that determines the next transfer.
struct SchedulerCore<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    let configuration: SchedulerConfiguration
    /// The machine, the policy, the history and the settings: all inputs of decisions.
    var evaluator: PolicyEvaluator
    var transfers: UnfinishedTransfers<Queue>
    var staggeredStart = StaggeredStart()
    var journal = ConditionJournal()
    var throughput = ThroughputMeter()
    private(set) var plannedWake: Instant?

    init(
        configuration: SchedulerConfiguration, policy: any Policy, statistics: PersistedStatistics, boot: String,
        startingAt now: ClockReading
    ) {
        let context = PolicyContext(
            conditions: Conditions(unknownSince: now), now: now, history: statistics.history,
            budgets: statistics.budgets)
        var evaluator = PolicyEvaluator(
            configuration: configuration, policy: policy, context: context, typicalRate: statistics.typicalRate)
        // If the wall clock was set, a wait lasts no longer than the longest that counts.
        let longest = now.instant.advanced(by: configuration.backgroundBackoff.longestRetryAfter)
        for (server, until) in statistics.serverWaits {
            _ = evaluator.serverWaits.add(server, until: min(now.instant(of: until), longest), at: now)
        }
        self.configuration = configuration
        self.evaluator = evaluator
        transfers = UnfinishedTransfers(
            configuration, queue: Queue(evaluator),
            RelaunchDelays(statistics.limiters, at: now, boot: boot, configuration.relaunchLimiter),
            reported: statistics.reportedDeadlines)
    }

    /// Applies an event and appends the resulting effects to `effects`.
    mutating func apply(
        _ event: Event, at now: ClockReading, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        record(now)
        // The event is passed in place, because moving this large value would be expensive.
        guard handle(event, at: now, using: &generator, into: &effects) else { return }
        reconcile(at: now, using: &generator, into: &effects)
    }

    /// Submits a new transfer.
    mutating func submit(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: ClockReading,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        record(now)
        guard add(id, traits, at: now, into: &effects) else { return }
        reconcile(at: now, using: &generator, into: &effects)
    }

    mutating func record(_ now: ClockReading) {
        if evaluator.context.now.wall > now.wall || evaluator.context.now.instant > now.instant {
            // Dates that were in the past may be in the future again.
            transfers.changes.running = true
        }
        evaluator.context.now = now
    }

    mutating func setPolicy(
        _ policy: any Policy, at now: ClockReading, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        evaluator.context.now = now
        evaluator.decide(by: policy)
        // The running time of apps is recorded if the policy may use it.
        if evaluator.context.history.observed != nil { observe(at: now) }
        (transfers.changes.running, transfers.changes.policy) = (true, true)
        reconcile(at: now, using: &generator, into: &effects)
    }

    func statistics(at now: ClockReading, boot: String) -> PersistedStatistics {
        var statistics = PersistedStatistics()
        statistics.history = evaluator.context.history
        statistics.history.elapse(to: now, localTime: evaluator.conditions.localTime)
        statistics.budgets = evaluator.context.budgets
        statistics.typicalRate = evaluator.typicalRate
        statistics.reportedDeadlines = transfers.notices.reported
        statistics.serverWaits = evaluator.serverWaits.records(at: now)
        statistics.limiters = transfers.relaunchDelays.records(at: now, boot: boot)
        return statistics
    }

    // MARK: Re-evaluation

    private mutating func reconcile(
        at now: ClockReading, using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        if !evaluator.hasTable { transfers.changes.running = true }
        while let id = transfers.expiries.popFirst(at: now.wall) {
            _ = transfers.giveUp(id, as: .expire, at: now, into: &effects)
        }
        refreshPlan()
        // Re-evaluation times are set when attempts begin and are reviewed, so the last event left them valid.
        let hasChanged = transfers.changes.concernRunning
        if hasChanged || transfers.active.reevaluation.map({ $0 <= now.instant }) == true {
            transfers.stopIneligible(evaluator, hasChanged: hasChanged, at: now, into: &effects)
        }
        startEligible(at: now, using: &generator, into: &effects)
        let preemptionReevaluation = configuration.isPreemptive ? preempt(at: now, into: &effects) : nil
        transfers.changes = SchedulerChanges()
        if transfers.notices.next.map({ $0 <= now.wall }) == true { checkDeadlines(at: now, into: &effects) }
        if !transfers.watches.isEmpty { explainToWatchers(at: now, into: &effects) }
        planWake(at: now, orAt: preemptionReevaluation, into: &effects)
    }

    private mutating func planWake(at now: ClockReading, orAt reevaluation: Instant?, into effects: inout [Effect]) {
        transfers.active.updateReevaluation()
        var wake = Verdict.earlier(transfers.watches.reevaluation, transfers.active.reevaluation)
        wake = Verdict.earlier(wake, reevaluation)
        let next = transfers.queue.reevaluateAt(
            evaluator, staggeredUntil: staggeredStart.earliestStart, isWatched: !transfers.watches.isEmpty)
        wake = Verdict.earlier(wake, next)
        wake = Verdict.earlier(wake, transfers.expiries.next.map(now.instant(of:)))
        wake = Verdict.earlier(wake, transfers.notices.next.map(now.instant(of:)))
        wake = Verdict.earlier(wake, transfers.obstacles.nextMeasurement)
        // A past time is evaluated now. Requesting it again would only spin.
        wakeUp(at: wake, now, into: &effects)
    }

    /// Replaces the planned wake-up.
    mutating func wakeUp(at instant: Instant?, _ now: ClockReading, into effects: inout [Effect]) {
        let planned = instant.map { max($0, Instant(nanoseconds: now.instant.nanoseconds.addingSaturating(1))) }
        guard planned != plannedWake else { return }
        plannedWake = planned
        effects.append(.wake(planned))
    }
}
