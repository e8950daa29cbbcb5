// SPDX-License-Identifier: Apache-2.0
public import TransferPolicy

/// Decides what happens next: the state machine of all transfers.
///
/// A pure value: the same events at the same moments with the same seed give the same effects, in the daemon, in an
/// embedding program, in tests and in the lab. It knows no file, clock or network; whoever drives it saves what an
/// event changed and then carries the effects out. An event costs one pass over the transfers that are not over.
///
/// ## Topics
/// - ``apply(_:at:using:)``
/// - ``explanation(of:at:)``
public struct Scheduler: ~Copyable, Sendable {
    let configuration: SchedulerConfiguration
    let policy: any Policy
    var conditions: Conditions
    var entries: [TransferID: TransferEntry] = [:]
    /// Every transfer that is not over, in the order in which slots are given out.
    var order: [TransferID] = []
    /// What was learned of this machine; whoever drives the scheduler keeps it across restarts.
    public internal(set) var history: PolicyHistory
    /// When a transfer was last seen to run.
    private var lastActivity: Instant?
    private var plannedWake: Instant?

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
        history = learned.history
        self.configuration = configuration
        self.policy = policy
        conditions = Conditions(unknownSince: now)
    }

    /// Takes one event in and gives out what is to be done, in order.
    ///
    /// An event that does not fit the state (a report for a transfer that is over, a second submission) changes
    /// nothing: it comes from a race between a command and the executor.
    public mutating func apply(
        _ event: Event, at now: Moment, using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        var effects: [Effect] = []
        history.elapse(to: now, localTime: conditions.localTime)
        guard take(event, at: now, using: &generator, into: &effects) else { return effects }
        reconcile(at: now, into: &effects)
        return effects
    }

    /// What to keep across restarts. Asked for after ``Effect/saveLearned``, before the end, and now and then.
    public func learned(at now: Moment, boot: String) -> Learned {
        var learned = Learned()
        learned.history = history
        return learned
    }

    /// Transfers that are not over.
    public var openCount: Int { order.count }

    /// Whether an attempt of the transfer is under way, its end not yet reported.
    public func holdsSlot(_ id: TransferID) -> Bool { entries[id]?.phase.holdsSlot ?? false }

    /// The rate at which the transfer runs, in bytes a second, smoothed; nil before any was seen.
    public func rate(of id: TransferID) -> Int64? { entries[id]?.rate }

    // MARK: Order

    /// User-initiated first, then priority, then deadline, then age.
    private static func precedes(_ left: (TransferID, TransferTraits), _ right: (TransferID, TransferTraits)) -> Bool {
        let (leftUrgent, rightUrgent) = (left.1.kind == .userInitiated, right.1.kind == .userInitiated)
        if leftUrgent != rightUrgent { return leftUrgent }
        if left.1.priority != right.1.priority { return left.1.priority > right.1.priority }
        let (leftDeadline, rightDeadline) = (left.1.constraints.deadline?.date, right.1.constraints.deadline?.date)
        switch (leftDeadline, rightDeadline) {
        case (let left?, let right?) where left != right: return left < right
        case (_?, nil): return true
        case (nil, _?): return false
        default: return left.0 < right.0
        }
    }

    mutating func insert(_ id: TransferID, _ entry: TransferEntry) {
        // Binary search: submissions mostly belong at the end.
        var (low, high) = (0, order.count)
        while low < high {
            let middle = (low + high) / 2
            let other = order[middle]
            if let traits = entries[other]?.traits, Self.precedes((other, traits), (id, entry.traits)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        order.insert(id, at: low)
        entries[id] = entry
    }

    mutating func remove(_ id: TransferID) {
        entries[id] = nil
        order.removeAll { $0 == id }
    }

    // MARK: What a policy may know

    /// What a policy may know at `now`.
    func context(at now: Moment) -> PolicyContext {
        var queue = QueueSummary(lastActivity: lastActivity)
        for id in order {
            guard let entry = entries[id] else { continue }
            if entry.phase.holdsSlot, !entry.traits.isLoopback { queue.runningCount += 1 }
            guard entry.traits.kind == .discretionary else { continue }
            queue.discretionaryCount += 1
            let (sum, overflow) = queue.discretionaryBytes.addingReportingOverflow(entry.subject.bytesRemaining ?? 0)
            queue.discretionaryBytes = overflow ? .max : sum
            if let date = entry.traits.constraints.deadline?.date {
                queue.firstDeadline = min(queue.firstDeadline ?? date, date)
            }
        }
        if queue.runningCount > 0 { queue.lastActivity = now.instant }
        return PolicyContext(conditions: conditions, now: now, history: history, queue: queue)
    }

    /// Notes how things stand from now on.
    private mutating func observe(at now: Moment) {
        var apps: Set<String> = []
        for id in order {
            if let entry = entries[id], entry.phase.holdsSlot { apps.insert(entry.traits.app) }
        }
        if !apps.isEmpty || history.observed?.runningApps.isEmpty == false { lastActivity = now.instant }
        history.observe(
            PolicyHistory.Observation(
                conditions, at: now, runningApps: apps.sorted(), treatingUnknownAs: configuration.unknownMetered),
            localTime: conditions.localTime)
    }

    // MARK: Bringing the state in line with what is allowed

    private mutating func reconcile(at now: Moment, into effects: inout [Effect]) {
        observe(at: now)
        let context = context(at: now)
        let assessment = Assessment(configuration: configuration, policy: policy, context: context)
        var wake: Instant?
        stopWhatMayNotRun(assessment, wake: &wake, into: &effects)
        startWhatMayRun(assessment, wake: &wake, into: &effects)
        let after = self.context(at: now)
        if context.queue.runningCount == 0, after.queue.runningCount > 0 {
            // The first one to run may be what the others waited for.
            let again = Assessment(configuration: configuration, policy: policy, context: after)
            startWhatMayRun(again, wake: &wake, into: &effects)
        }
        observe(at: now)
        // A moment that has passed is looked at now, so asking for it again would only spin.
        let next = wake.map { max($0, now.instant.advanced(by: .nanoseconds(1))) }
        guard next != plannedWake else { return }
        plannedWake = next
        effects.append(.wake(next))
    }

    private mutating func stopWhatMayNotRun(
        _ assessment: Assessment, wake: inout Instant?, into effects: inout [Effect]
    ) {
        for id in order {
            guard var entry = entries[id], case .running(var attempt) = entry.phase else { continue }
            let missing = assessment.missingSince(for: entry, before: attempt.missingSince)
            if missing != attempt.missingSince {
                attempt.missingSince = missing
                entry.phase = .running(attempt)
                entries[id] = entry
            }
            switch assessment.verdict(for: entry) {
            case .run(_, let lookAgain):
                wake = Verdict.earlier(wake, lookAgain)
            case .hold(let holds, _):
                entry.phase = .stopping(.wait)
                entry.holds = Self.keepingSince(holds, before: entry.holds)
                entries[id] = entry
                effects.append(.stop(id))
                effects.append(.explain(id))
            }
        }
    }

    private mutating func startWhatMayRun(
        _ assessment: Assessment, wake: inout Instant?, into effects: inout [Effect]
    ) {
        var slots = Slots(configuration: configuration)
        for id in order {
            if let entry = entries[id], entry.phase.holdsSlot { slots.take(host: entry.traits.host) }
        }
        for id in order {
            guard var entry = entries[id], !entry.phase.holdsSlot else { continue }
            var holds: [Hold]
            switch assessment.verdict(for: entry) {
            case .run(_, let lookAgain):
                if let full = slots.obstacle(host: entry.traits.host) {
                    holds = [Hold(.waitingForSlot(full), since: assessment.now)]
                    // While others run, time may take the permission away: then the reason changes.
                    wake = Verdict.earlier(wake, lookAgain)
                } else {
                    slots.take(host: entry.traits.host)
                    let now = assessment.now
                    entry.phase = .running(
                        .init(
                            since: now, bytesAtStart: entry.bytes,
                            progressMark: max(entry.mostBytes, entry.bytes).addingSaturating(
                                configuration.leastProgress), rateAtStart: entry.rate, lastReport: now.instant))
                    entry.holds = []
                    entries[id] = entry
                    // Running, other moments matter than those that mattered while it waited.
                    if case .run(_, let lookAgain) = assessment.verdict(for: entry) {
                        wake = Verdict.earlier(wake, lookAgain)
                    }
                    effects.append(.start(id))
                    continue
                }
            case .hold(let reasons, let lookAgain):
                holds = reasons
                wake = Verdict.earlier(wake, lookAgain)
            }
            holds = Self.keepingSince(holds, before: entry.holds)
            guard holds.map(\.reason) != entry.holds.map(\.reason) else { continue }
            entry.holds = holds
            entries[id] = entry
            effects.append(.explain(id))
        }
    }

    /// A reason that lies in the transfer itself holds since it was first seen, not since the last look.
    private static func keepingSince(_ holds: [Hold], before: [Hold]) -> [Hold] {
        holds.map { hold in
            guard hold.source == nil, let earlier = before.first(where: { $0.reason == hold.reason }) else {
                return hold
            }
            return earlier
        }
    }
}

/// Slots while they are given out.
private struct Slots {
    let configuration: SchedulerConfiguration
    private var taken = 0
    private var takenByHost: [String: Int] = [:]

    init(configuration: SchedulerConfiguration) { self.configuration = configuration }

    mutating func take(host: String) {
        taken += 1
        takenByHost[host, default: 0] += 1
    }

    func obstacle(host: String) -> SlotScope? {
        // The host first: its slots stay full while the rest of the global ones are given out, so the reason stays.
        if takenByHost[host, default: 0] >= max(1, configuration.slotsPerHost) { return .host(host) }
        if taken >= max(1, configuration.globalSlots) { return .global }
        return nil
    }
}
