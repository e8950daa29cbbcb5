// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy
package import TransferScheduling

/// A reference scheduler that receives the same events and must return the same effects.
package protocol ReferenceScheduler: AnyObject {
    func apply(_ event: Event, at now: ClockReading) -> [Effect]
    func setPolicy(_ policy: any Policy, at now: ClockReading) -> [Effect]
    /// Recovers the stored transfers.
    func recover(_ transfers: RecoveredTransfers, at now: ClockReading)
    /// Restarts with the persisted statistics. Returns `false` if the reference's own statistics differ.
    func restart(policy: any Policy, expecting statistics: PersistedStatistics, boot: String, at now: ClockReading)
        -> Bool
    /// The state of the random number generator.
    var generator: SplitMix64 { get }
}

/// A property test with a scheduler, a clock, a machine, and executors. The rules are checked after every event.
package final class PropertyRun {
    /// Monday 2026-11-23 00:00:00 UTC.
    package static let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    package let setup: RunSetup
    var scheduler: Scheduler
    package private(set) var now = PropertyRun.start
    var conditions: Conditions
    package internal(set) var model: SchedulerModel
    let shadow: (any ReferenceScheduler)?
    private var generator: SplitMix64
    var wake: Instant?
    var shadowWake: Instant?
    private var effects: [Effect] = []
    /// The number of events given to the scheduler.
    package private(set) var eventCount = 0
    /// The number of wake-ups that the scheduler requested.
    package private(set) var wakeCount = 0
    /// The number of requested wake-ups that had no effect.
    package private(set) var idleWakeCount = 0
    package private(set) var startCount = 0
    private var narrowWakes = 0
    private var lastWake = PropertyRun.start.instant
    private(set) var policyName: String
    var boots = 0
    var room: Int64?
    var confirmsStops = true
    /// The way in which the queue is recovered after a restart, or `nil` to alternate.
    package var recovery: Recovery?
    /// A closure that is called after every event with the event's effects.
    package var onEvent: ((ClockReading, Event, [Effect]) -> Void)?

    package init(_ setup: RunSetup, shadow: ((RunSetup, any Policy) -> any ReferenceScheduler)? = nil) {
        self.setup = setup
        let policy = Self.policy(setup.policy)
        policyName = setup.policy
        scheduler = Scheduler(configuration: setup.configuration, policy: policy, startingAt: Self.start)
        generator = SplitMix64(seed: setup.seed)
        self.shadow = shadow?(setup, policy)
        conditions = Self.goodConditions()
        model = SchedulerModel(configuration: setup.configuration, conditions: conditions)
        model.isDefaultPolicy = Self.isShipped(setup.policy)
        model.isImmediatePolicy = setup.policy == "immediate"
        deliver(.conditionsChanged(conditions))
    }

    /// Returns a policy of the catalog, or the mixture of all.
    package static func policy(_ name: String) -> any Policy {
        // A policy name lost by shrinking stands for the default policy.
        if name == "mixture" { return MixedPolicy(base: PatiencePolicy(), names: StepGenerator.policies) }
        return (try? PolicyCatalog.policy(named: name)) ?? PatiencePolicy()
    }

    private static func goodConditions() -> Conditions {
        var conditions = Conditions(unknownSince: start)
        conditions.power = Fact(.ac, source: .upower, since: start)
        conditions.battery = Fact(BatteryState(level: 80), source: .upower, since: start)
        conditions.network = Fact(.full, source: .kernel, since: start)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: start)
        conditions.metered = Fact(.no, source: .networkManager, since: start)
        conditions.connection = Fact("home", source: .networkManager, since: start)
        conditions.roaming = Fact(.no, source: .networkManager, since: start)
        return conditions
    }

    /// The rule violations so far.
    package var faults: [String] { model.faults }

    // MARK: Events

    /// Gives an event to the scheduler, followed by the executors' responses.
    func deliver(_ event: Event) { deliver(give(event)) }

    /// Gives the executors' responses to the scheduler, and then the responses to them.
    private func deliver(_ first: [Event]) {
        var responses = first
        var next = 0
        while next < responses.count, faults.isEmpty {
            responses += give(responses[next])
            next += 1
        }
        if faults.isEmpty { model.checkWaiting(at: now) }
    }

    private func give(_ event: Event) -> [Event] {
        eventCount += 1
        effects.removeAll(keepingCapacity: true)
        // Both ways to submit a transfer must have the same effects.
        if case .submitted(let id, let traits) = event, id.rawValue.isMultiple(of: 2) {
            scheduler.submit(id, traits, at: now, using: &generator, into: &effects)
        } else {
            scheduler.apply(event, at: now, using: &generator, into: &effects)
        }
        if let shadow { compare(shadow.apply(event, at: now), after: event) }
        model.observe(event, at: now)
        return follow(event)
    }

    private func follow(_ event: Event) -> [Event] {
        var responses: [Event] = []
        for effect in effects {
            model.apply(effect, at: now) { scheduler.relaunchDelay(of: $0, at: now)?.until }
            switch effect {
            case .wake(let instant): wake = instant
            case .start: startCount += 1
            case .stop(let id): if confirmsStops { responses += stopConfirmation(id) }
            case .measureSpace(let id):
                if let room { responses += measurement(id, room) }
            case .discard, .end, .saveRetry, .savePaused, .saveRelaunchDelay, .saveStatistics, .explain,
                .reportDeadline:
                break  // The machine does not respond to these effects.
            }
        }
        model.checkRunning(at: now)
        onEvent?(now, event, effects)
        return responses
    }

    private func stopConfirmation(_ id: TransferID) -> [Event] {
        let bytes = model.open[id]?.bytes ?? 0
        model.stopConfirmed(id)
        return [.stopped(id, bytes: bytes)]
    }

    private func measurement(_ id: TransferID, _ room: Int64) -> [Event] {
        model.measured(id, room)
        return [.spaceMeasured(id, available: room)]
    }

    private var wasClockSet = false

    private func compare(_ others: [Effect], after event: Event) {
        guard let shadow else { return }
        for case .wake(let instant) in others { shadowWake = instant }
        // After the wall clock was set, a changed reason may be reported only at the next re-evaluation. Starts and stops
        // are always compared.
        let mine = effects.filter { wasClockSet ? !$0.isReportOnly : !$0.isWake }
        let theirs = others.filter { wasClockSet ? !$0.isReportOnly : !$0.isWake }
        if mine != theirs { model.fault("after \(event.name): effects \(mine), reference \(theirs)") }
        if generator != shadow.generator { model.fault("after \(event.name): the random number generators differ") }
    }

    /// Returns whether a policy is one of the policies for each patience.
    private static func isShipped(_ name: String) -> Bool {
        ["default", "relaxed", "balanced", "prompt"].contains { name.hasPrefix($0) }
    }

    // MARK: Time

    func pass(_ time: Int64) {
        let target = now.instant.advanced(by: .nanoseconds(time))
        var wakes = 0
        while faults.isEmpty, let next = Verdict.earlier(wake, shadowWake), next <= target {
            wakes += 1
            // A long time may contain many wake-ups. The rest of the time is skipped.
            if wakes > 48 { return }
            move(to: max(next, now.instant))
            wakeUp()
        }
        move(to: target)
        probe()
    }

    /// The time until the next requested wake-up in nanoseconds, or `nil` if none is requested.
    var timeToWake: Int64? { wake.map { max(0, now.instant.duration(to: $0).wholeNanoseconds) } }

    private func move(to instant: Instant) { now = now.advanced(by: now.instant.duration(to: instant)) }

    func setWallClock(by step: Int64) {
        now.wall = now.wall.advanced(by: .nanoseconds(step))
        wasClockSet = true
        wakeUp(isClockSet: true)
    }

    private func wakeUp(isClockSet: Bool = false) {
        let isDue = wake.map { $0 <= now.instant } ?? false
        if isDue { wake = nil }
        if let due = shadowWake, due <= now.instant { shadowWake = nil }
        narrowWakes = lastWake.duration(to: now.instant) < .microseconds(1) ? narrowWakes + 1 : 0
        lastWake = now.instant
        if narrowWakes > 40, !isClockSet { model.fault("endless wake-ups") }
        let responses = give(.woken)
        let isIdle = effects.allSatisfy(\.isWake)
        if isDue {
            wakeCount += 1
            if isIdle { idleWakeCount += 1 }
        } else if !isIdle, !isClockSet, !(policyMayExplainLate && effects.allSatisfy(\.isReportOnly)) {
            model.fault("no wake-up was requested, but the effects are \(effects)")
        }
        deliver(responses)
    }

    /// A Boolean value that indicates whether a changed reason may be reported late.
    ///
    /// A policy without a table may let a transfer run without reporting when others will exhaust its
    /// resources.
    private var policyMayExplainLate: Bool {
        (Self.policy(policyName) as? any TablePolicy)?.decidesIndividually ?? true
    }

    /// Wakes the scheduler at a time it did not request, and checks all open transfers.
    func probe() {
        guard faults.isEmpty else { return }
        wakeUp()
        guard faults.isEmpty else { return }
        model.checkWaiting(at: now)
        model.checkAll(at: now, scheduler)
    }

    // MARK: Policy

    func setPolicy(_ name: String) {
        policyName = name
        let policy = Self.policy(name)
        model.isDefaultPolicy = Self.isShipped(name)
        model.isImmediatePolicy = name == "immediate"
        eventCount += 1
        effects = scheduler.setPolicy(policy, at: now, using: &generator)
        if let shadow { compare(shadow.setPolicy(policy, at: now), after: .woken) }
        deliver(follow(.woken))
    }
}

extension Effect {
    /// A Boolean value that indicates whether the effect changes only reported reasons or the next wake-up.
    fileprivate var isReportOnly: Bool {
        if case .explain = self { return true }
        return isWake
    }

    var isWake: Bool { if case .wake = self { true } else { false } }
}

extension Event {
    /// The name of the event with its transfer, without further values.
    package var name: String { String("\(self)".prefix { $0 != "," }) }
}
