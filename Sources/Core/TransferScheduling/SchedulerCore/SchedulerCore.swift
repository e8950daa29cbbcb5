// SPDX-License-Identifier: Apache-2.0
internal import TransferModel
import TransferPolicy
internal import TransferQueue

/// The state machine behind ``Scheduler``, over a queue that says who is next.
struct SchedulerCore<Queue: WaitingQueue & ~Copyable>: ~Copyable, Sendable {
    let configuration: SchedulerConfiguration
    /// The machine, the policy, what was learned and the settings: all that decisions are made on.
    var assessment: Assessment
    var transfers: UnfinishedTransfers<Queue>
    /// The machine as it is now, its connection left out.
    var machine: ConditionSignature
    /// Whether the conditions are more than what is assumed at the start.
    var hasConditions = false
    var drain = Drain()
    var journal = ConditionJournal()
    /// When a transfer was last seen to run.
    var lastActivity: Instant?
    private var plannedWake: Instant?
    /// When time alone may stop something that runs.
    private(set) var activeLook: Instant?
    /// When time alone may have another one of those that wait ask for the slot of what runs.
    var roomLook: Instant?

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
        machine = ConditionSignature(assessment.context.conditions)
        transfers = UnfinishedTransfers(
            configuration, queue: Queue(assessment),
            RelaunchDelays(learned.limiters, at: now, boot: boot, configuration.relaunchLimiter))
    }

    var conditions: Conditions { assessment.context.conditions }
    var history: PolicyHistory { assessment.context.history }

    /// Takes one event in, and adds what is to be done to `effects`.
    mutating func apply(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        note(now)
        // Looked at in place: it is large, and to move it about costs as much as much of what follows.
        guard take(event, at: now, using: &generator, into: &effects) else { return }
        reconcile(at: now, using: &generator, into: &effects)
    }

    /// Takes a new transfer in.
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
            // Dates that had come lie ahead again.
            transfers.changes.running = true
        }
        assessment.context.now = now
    }

    mutating func setPolicy(
        _ policy: any Policy, at now: Moment, using generator: inout some RandomNumberGenerator,
        into effects: inout [Effect]
    ) {
        assessment.context.now = now
        transfers.makeWhole()  // Another policy may ask more of what runs.
        assessment.decide(by: policy)
        if history.observed != nil { observe(at: now) }  // How long apps run is noted where the policy may ask.
        (transfers.changes.running, transfers.changes.policy) = (true, true)
        reconcile(at: now, using: &generator, into: &effects)
    }

    func learned(at now: Moment, boot: String) -> Learned {
        var learned = Learned()
        learned.history = assessment.context.history
        learned.history.elapse(to: now, localTime: conditions.localTime)
        learned.budgets = assessment.context.budgets
        learned.typicalRate = assessment.typicalRate
        learned.limiters = transfers.relaunchDelays.records(at: now, boot: boot)
        return learned
    }

    // MARK: Bringing the state in line with what is allowed

    private mutating func reconcile(
        at now: Moment, using generator: inout some RandomNumberGenerator, into effects: inout [Effect]
    ) {
        if assessment.followsQueue {
            refreshContext(at: now)
            transfers.changes.running = true
        }
        while let id = transfers.expiries.popFirst(at: now.wall) { transfers.expire(id, at: now, into: &effects) }
        // Looks are set as attempts begin and are reviewed, so that the last event left them as they are.
        if !transfers.changes.isEmpty || activeLook.map({ $0 <= now.instant }) == true {
            stopWhatMayNotRun(at: now, into: &effects)
        }
        startWhatMayRun(at: now, using: &generator, into: &effects)
        if configuration.isPreemptive { makeRoom(at: now, into: &effects) }
        transfers.changes = SchedulerChanges()
        if !transfers.watches.isEmpty { explainToWatchers(at: now, into: &effects) }
        planWake(at: now, into: &effects)
    }

    /// What a policy may know beside the conditions, where it asks for it.
    mutating func refreshContext(at now: Moment) {
        if !assessment.isStaged { assessment.context.history.elapse(to: now, localTime: conditions.localTime) }
        var summary = QueueSummary(lastActivity: lastActivity)
        transfers.active.forEach { if !$1.entry.traits.isLoopback { summary.runningCount += 1 } }
        if summary.runningCount > 0 { summary.lastActivity = now.instant }
        summary.discretionaryCount = transfers.totals.discretionaryCount
        summary.discretionaryBytes = Int64(clamping: transfers.totals.discretionaryBytes)
        if !transfers.totals.isFirstDeadlineKnown {
            transfers.queue.forEach { transfers.totals.note($1) }
            transfers.active.forEach { transfers.totals.note($1.entry) }
            transfers.totals.isFirstDeadlineKnown = true
        }
        summary.firstDeadline = transfers.totals.firstDeadline
        assessment.context.queue = summary
    }

    private mutating func stopWhatMayNotRun(at now: Moment, into effects: inout [Effect]) {
        let hasChanged = !transfers.changes.isEmpty
        transfers.makeWhole()
        var following = transfers.active.first
        while following != Int32.nowhere {
            let index = following
            following = transfers.active.next(after: index)
            guard
                let holds = transfers.active[index].review(assessment, under: machine, hasChanged: hasChanged, at: now)
            else {
                continue
            }
            let id = transfers.active[index].id
            effects.append(.stop(id))
            if transfers.watches.note(id, holds) { effects.append(.explain(id)) }
        }
    }

    private mutating func planWake(at now: Moment, into effects: inout [Effect]) {
        activeLook = transfers.active.look
        var wake = Verdict.earlier(transfers.watches.look, activeLook)
        if let roomLook { wake = Verdict.earlier(wake, roomLook) }
        let next = transfers.queue.reevaluateAt(
            assessment, staggeredUntil: drain.gate, isWatched: !transfers.watches.isEmpty)
        wake = Verdict.earlier(wake, next)
        wake = Verdict.earlier(wake, transfers.expiries.next.map(now.instant(of:)))
        if !transfers.measurements.isEmpty {
            for look in transfers.measurements.values { wake = Verdict.earlier(wake, look) }
        }
        // A moment that has passed is looked at now, so asking for it again would only spin.
        let planned = wake.map { max($0, Instant(nanoseconds: now.instant.nanoseconds.addingSaturating(1))) }
        guard planned != plannedWake else { return }
        plannedWake = planned
        effects.append(.wake(planned))
    }
}
