// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The state machine behind ``Scheduler``, on top of a queue that determines the next transfer.
struct SchedulerCore<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    let configuration: SchedulerConfiguration
    /// The machine, the policy, the history and the settings: all inputs of decisions.
    var assessment: Assessment
    var transfers: UnfinishedTransfers<Queue>
    var drain = Drain()
    var journal = ConditionJournal()
    private var plannedWake: Instant?

    init(
        configuration: SchedulerConfiguration, policy: any Policy, learned: Learned, boot: String,
        startingAt now: Moment
    ) {
        let context = PolicyContext(
            conditions: Conditions(unknownSince: now), now: now, history: learned.history, budgets: learned.budgets)
        let assessment = Assessment(
            configuration: configuration, policy: policy, context: context, typicalRate: learned.typicalRate)
        self.configuration = configuration
        self.assessment = assessment
        transfers = UnfinishedTransfers(
            configuration, queue: Queue(assessment),
            RelaunchDelays(learned.limiters, at: now, boot: boot, configuration.relaunchLimiter))
    }

    /// Applies an event and appends the resulting effects to `effects`.
    mutating func apply(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        note(now)
        // The event is passed in place, because moving this large value costs as much as much of the rest.
        guard take(event, at: now, using: &generator, into: &effects) else { return }
        reconcile(at: now, using: &generator, into: &effects)
    }

    /// Submits a new transfer.
    mutating func submit(
        _ id: TransferID, _ traits: borrowing TransferTraits, at now: Moment,
        using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        note(now)
        guard add(id, traits, at: now, using: &generator, into: &effects) else { return }
        reconcile(at: now, using: &generator, into: &effects)
    }

    mutating func note(_ now: Moment) {
        if assessment.context.now.wall > now.wall || assessment.context.now.instant > now.instant {
            // Dates that were in the past may be in the future again.
            transfers.changes.running = true
        }
        assessment.context.now = now
    }

    mutating func setPolicy(
        _ policy: any Policy, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        assessment.context.now = now
        transfers.active.makeWhole(from: &transfers.queue)  // Another policy may ask more of what runs.
        assessment.decide(by: policy)
        // The running time of apps is recorded if the policy may use it.
        if assessment.context.history.observed != nil { observe(at: now) }
        (transfers.changes.running, transfers.changes.policy) = (true, true)
        reconcile(at: now, using: &generator, into: &effects)
    }

    func learned(at now: Moment, boot: String) -> Learned {
        var learned = Learned()
        learned.history = assessment.context.history
        learned.history.elapse(to: now, localTime: assessment.conditions.localTime)
        learned.budgets = assessment.context.budgets
        learned.typicalRate = assessment.typicalRate
        learned.limiters = transfers.relaunchDelays.records(at: now, boot: boot)
        return learned
    }

    // MARK: Re-evaluation

    private mutating func reconcile(
        at now: Moment, using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        if assessment.followsQueue {
            refreshContext(at: now)
            transfers.changes.running = true
        }
        while let id = transfers.expiries.popFirst(at: now.wall) {
            _ = transfers.giveUp(id, as: .expire, at: now, into: &effects)
        }
        // Re-evaluation times are set when attempts begin and are reviewed, so the last event left them valid.
        if !transfers.changes.isEmpty || transfers.active.look.map({ $0 <= now.instant }) == true {
            transfers.stopWhatMayNotRun(assessment, at: now, into: &effects)
        }
        startWhatMayRun(at: now, using: &generator, into: &effects)
        let roomLook = configuration.isPreemptive ? makeRoom(at: now, into: &effects) : nil
        transfers.changes = SchedulerChanges()
        if !transfers.watches.isEmpty { explainToWatchers(at: now, into: &effects) }
        planWake(at: now, orAt: roomLook, into: &effects)
    }

    private mutating func planWake(at now: Moment, orAt look: Instant?, into effects: inout [Effect]) {
        transfers.active.updateLook()
        var wake = Verdict.earlier(transfers.watches.look, transfers.active.look)
        wake = Verdict.earlier(wake, look)
        let next = transfers.queue.reevaluateAt(
            assessment, staggeredUntil: drain.gate, isWatched: !transfers.watches.isEmpty)
        wake = Verdict.earlier(wake, next)
        wake = Verdict.earlier(wake, transfers.expiries.next.map(now.instant(of:)))
        wake = Verdict.earlier(wake, transfers.obstacles.nextMeasurement)
        // A past time is evaluated now. Requesting it again would only spin.
        let planned = wake.map { max($0, Instant(nanoseconds: now.instant.nanoseconds.addingSaturating(1))) }
        guard planned != plannedWake else { return }
        plannedWake = planned
        effects.append(.wake(planned))
    }
}
