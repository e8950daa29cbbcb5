// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy
package import TransferScheduling

/// A reference scheduler that receives the same events and must return the same effects.
package protocol TrialShadow: AnyObject {
    func apply(_ event: Event, at now: Moment) -> [Effect]
    func setPolicy(_ policy: any Policy, at now: Moment) -> [Effect]
    /// Recovers the stored transfers.
    func take(_ transfers: RecoveredTransfers, at now: Moment)
    /// Restarts with the persisted statistics. Returns `false` if the reference's own statistics differ.
    func restart(policy: any Policy, expecting learned: Learned, boot: String, at now: Moment) -> Bool
    /// The state of the random number generator.
    var generator: SplitMix64 { get }
}

/// A property test with a scheduler, a clock, a machine, and executors. The rules are checked after every event.
package final class Trial {
    /// Monday 2026-11-23 00:00:00 UTC.
    package static let start = Moment(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    package let setup: TrialSetup
    var scheduler: Scheduler
    package private(set) var now = Trial.start
    var conditions: Conditions
    package internal(set) var book: TrialBook
    let shadow: (any TrialShadow)?
    private var generator: SplitMix64
    var wake: Instant?
    var shadowWake: Instant?
    private var effects: [Effect] = []
    private var digest = EffectDigest()
    /// The number of events given to the scheduler.
    package private(set) var eventCount = 0
    /// The number of wake-ups that the scheduler requested.
    package private(set) var wakeCount = 0
    /// The number of requested wake-ups that had no effect.
    package private(set) var idleWakeCount = 0
    package private(set) var startCount = 0
    private var narrowWakes = 0
    private var lastWake = Trial.start.instant
    private(set) var policyName: String
    var boots = 0
    var room: Int64?
    var answersStops = true
    /// The way in which the queue is recovered after a restart, or `nil` to alternate.
    package var recovery: Recovery?
    /// A closure that is called after every event with the event's effects.
    package var onEvent: ((Moment, Event, [Effect]) -> Void)?

    package init(_ setup: TrialSetup, shadow: ((TrialSetup, any Policy) -> any TrialShadow)? = nil) {
        self.setup = setup
        let policy = Self.policy(setup.policy)
        policyName = setup.policy
        scheduler = Scheduler(configuration: setup.configuration, policy: policy, startingAt: Self.start)
        generator = SplitMix64(seed: setup.seed)
        self.shadow = shadow?(setup, policy)
        book = TrialBook(configuration: setup.configuration)
        book.isDefaultPolicy = setup.policy.hasPrefix("default")
        conditions = Self.goodConditions()
        deliver(.conditionsChanged(conditions))
    }

    static func policy(_ name: String) -> any Policy {
        // A policy name lost by shrinking stands for the default policy.
        (try? PolicyCatalog.policy(named: name)) ?? DefaultPolicy()
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
    package var faults: [String] { book.faults }
    package var digestValue: UInt64 { digest.value }

    // MARK: Events

    /// Gives an event to the scheduler, followed by the executors' answers.
    func deliver(_ event: Event) {
        var answers = give(event)
        var next = 0
        while next < answers.count, faults.isEmpty {
            answers += give(answers[next])
            next += 1
        }
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
        return follow(event)
    }

    private func follow(_ event: Event) -> [Event] {
        var answers: [Event] = []
        for effect in effects {
            digest.mix(effect)
            book.take(effect, at: now, conditions) { scheduler.relaunchDelay(of: $0, at: now)?.until }
            switch effect {
            case .wake(let instant): wake = instant
            case .start: startCount += 1
            case .stop(let id): if answersStops { answers += stopAnswer(id) }
            case .measureSpace(let id):
                if let room { answers += measurement(id, room) }
            case .discard, .end, .saveRetry, .savePaused, .saveRelaunchHold, .saveLearned, .explain:
                break  // The machine does not answer these effects.
            }
        }
        book.checkRunning(at: now, conditions)
        onEvent?(now, event, effects)
        return answers
    }

    private func stopAnswer(_ id: TransferID) -> [Event] {
        let bytes = book.open[id]?.bytes ?? 0
        book.stopAnswered(id)
        return [.stopped(id, bytes: bytes)]
    }

    private func measurement(_ id: TransferID, _ room: Int64) -> [Event] {
        book.measured(id, room)
        return [.spaceMeasured(id, available: room)]
    }

    private var wasClockSet = false

    private func compare(_ others: [Effect], after event: Event) {
        guard let shadow else { return }
        for case .wake(let instant) in others { shadowWake = instant }
        // After the wall clock was set, and under the default policy, a changed reason may be reported only at the next
        // re-evaluation. Under the default policy, any event may reveal an hour of the day that promises AC power. Starts
        // and stops are always compared.
        let mayTellLate = book.isDefaultPolicy || wasClockSet
        let mine = effects.filter { mayTellLate ? !$0.isForPeople : !$0.isWake }
        let theirs = others.filter { mayTellLate ? !$0.isForPeople : !$0.isWake }
        if mine != theirs { book.fault("after \(event.name) it orders \(mine), the plain one \(theirs)") }
        if generator != shadow.generator { book.fault("after \(event.name) chance is drawn from otherwise") }
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
        let before = startCount
        narrowWakes = lastWake.duration(to: now.instant) < .microseconds(1) ? narrowWakes + 1 : 0
        lastWake = now.instant
        if narrowWakes > 40, !isClockSet { book.fault("woken without end") }
        deliverWake(isDue: isDue, isClockSet: isClockSet)
        _ = before
    }

    private func deliverWake(isDue: Bool, isClockSet: Bool) {
        let answers = give(.woken)
        let isIdle = effects.allSatisfy(\.isWake)
        if isDue {
            wakeCount += 1
            if isIdle { idleWakeCount += 1 }
        } else if !isIdle, !isClockSet, !(policyMayExplainLate && effects.allSatisfy(\.isForPeople)) {
            book.fault("no wake was asked for, and yet there was \(effects) to do")
        }
        for answer in answers where faults.isEmpty { deliver(answer) }
    }

    /// A Boolean value that indicates whether a changed reason may be reported late.
    ///
    /// A policy without relaxation phases may let a transfer run without reporting when others will exhaust its
    /// resources. Under policies whose state key changes, late reports occurred once in ten million events.
    private var policyMayExplainLate: Bool {
        let hasMoods = ["batch", "backlog", "two-threshold", "window"].contains { policyName.hasPrefix($0) }
        return hasMoods || !(Self.policy(policyName) is any StagedPolicy)
    }

    /// Wakes the scheduler at a time it did not request, and checks all open transfers.
    func probe() {
        guard faults.isEmpty else { return }
        wakeUp()
        book.checkAll(at: now, scheduler)
    }

    // MARK: Policy

    func setPolicy(_ name: String) {
        policyName = name
        let policy = Self.policy(name)
        book.isDefaultPolicy = name.hasPrefix("default")
        eventCount += 1
        effects = scheduler.setPolicy(policy, at: now, using: &generator)
        if let shadow { compare(shadow.setPolicy(policy, at: now), after: .woken) }
        for answer in follow(.woken) where faults.isEmpty { deliver(answer) }
    }
}

extension Effect {
    /// A Boolean value that indicates whether the effect changes only reported reasons or the next wake-up.
    fileprivate var isForPeople: Bool {
        if case .explain = self { return true }
        return isWake
    }

    var isWake: Bool { if case .wake = self { true } else { false } }
}

extension Event {
    /// The name of the event with its transfer, without further values.
    package var name: String { String("\(self)".prefix { $0 != "," }) }
}
