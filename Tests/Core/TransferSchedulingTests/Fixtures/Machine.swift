// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A scheduler with a simulated clock, simulated conditions, and an obedient executor. Tests control all of them.
final class Machine {
    /// Monday, 2026-11-23 00:00:00 UTC. The second of the week therefore equals the second of the test.
    static let start = ClockReading(
        instant: Instant(nanoseconds: 1_000_000_000_000), wall: WallTime(secondsSinceEpoch: 1_795_392_000))

    struct Entry: Hashable {
        var time: Duration
        var effect: Effect
    }

    private(set) var scheduler: Scheduler
    private(set) var now = Machine.start
    private(set) var conditions: Conditions
    private(set) var wake: Instant?
    private(set) var log: [Entry] = []
    /// The running attempts with their bytes, including attempts that are being stopped.
    private(set) var attempts: [TransferID: Int64] = [:]
    private(set) var bytes: [TransferID: Int64] = [:]
    /// The unfinished transfers, with their traits and with the state that the effects ask to save.
    private(set) var store: [TransferID: (traits: TransferTraits, state: RecoveredState)] = [:]
    private var policy: any Policy
    private var generator: SplitMix64
    private let configuration: SchedulerConfiguration
    /// A Boolean value that indicates whether every transfer is watched from the start.
    let watchesAll: Bool
    /// A Boolean value that indicates whether a stop ends immediately.
    var answersStops = true
    /// The result of a measurement of disk space, or `nil` if measurements stay unanswered.
    var room: Int64?

    init(
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = PatiencePolicy(),
        conditions: Conditions = Machine.goodConditions(), now: ClockReading = Machine.start, seed: UInt64 = 1,
        staggeredStartJitter: Duration = .zero, watchesAll: Bool = true
    ) {
        self.watchesAll = watchesAll
        var configuration = configuration
        configuration.staggeredStartJitter = staggeredStartJitter
        self.configuration = configuration
        self.policy = policy
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        self.conditions = conditions
        self.now = now
        generator = SplitMix64(seed: seed)
        apply(.conditionsChanged(conditions))
    }

    /// Conditions on AC and on unmetered Ethernet, as found at the start.
    static func goodConditions(at now: ClockReading = Machine.start) -> Conditions {
        var conditions = Conditions(unknownSince: now)
        conditions.power = Fact(.ac, source: .upower, since: now)
        conditions.battery = Fact(BatteryState(level: 80), source: .upower, since: now)
        conditions.network = Fact(.full, source: .kernel, since: now)
        conditions.linkKind = Fact(.ethernet, source: .kernel, since: now)
        conditions.metered = Fact(.no, source: .networkManager, since: now)
        conditions.connection = Fact("home", source: .networkManager, since: now)
        conditions.roaming = Fact(.no, source: .networkManager, since: now)
        return conditions
    }

    /// The time since the start.
    var elapsed: Duration { Machine.start.instant.duration(to: now.instant) }

    @discardableResult
    func apply(_ event: Event) -> [Effect] {
        var all: [Effect] = []
        var queue = [event]
        while !queue.isEmpty {
            let next = queue.removeFirst()
            remember(next)
            let effects = scheduler.apply(next, at: now, using: &generator)
            all += effects
            if watchesAll, let id = next.newTransfer { queue.insert(.watched(id), at: 0) }
            for effect in effects {
                log.append(Entry(time: elapsed, effect: effect))
                if let answer = perform(effect) { queue.append(answer) }
            }
        }
        return all
    }

    private func remember(_ event: Event) {
        switch event {
        case .submitted(let id, let traits) where store[id] == nil: store[id] = (traits, RecoveredState())
        case .recovered(let id, let traits, let state) where store[id] == nil: store[id] = (traits, state)
        case .changed(let id, let traits): store[id]?.traits = traits
        default: break  // A store keeps nothing of these events.
        }
    }

    /// Replaces the policy from now on.
    func setPolicy(_ policy: any Policy) {
        self.policy = policy
        let effects = scheduler.setPolicy(policy, at: now, using: &generator)
        for effect in effects {
            log.append(Entry(time: elapsed, effect: effect))
            if let answer = perform(effect) { apply(answer) }
        }
    }

    private func perform(_ effect: Effect) -> Event? {
        switch effect {
        case .wake(let instant): wake = instant
        case .start(let id): attempts[id] = bytes[id] ?? 0
        case .stop(let id):
            guard answersStops, let kept = endAttempt(id) else { return nil }
            return .stopped(id, bytes: kept)
        case .measureSpace(let id): return room.map { .spaceMeasured(id, available: $0) }
        case .end(let id, _): (bytes[id], store[id]) = (nil, nil)
        case .saveRetry(let id, let retry): store[id]?.state.retry = retry
        case .savePaused(let id, let isPaused): store[id]?.state.isPaused = isPaused
        case .saveRelaunchDelay(let id, let relaunchDelay): store[id]?.state.relaunchDelay = relaunchDelay
        case .discard, .saveStatistics, .explain, .reportDeadline: break  // A machine answers none of these effects.
        }
        return nil
    }

    /// Removes an attempt and returns its bytes, or `nil` if there is no attempt.
    func endAttempt(_ id: TransferID) -> Int64? {
        guard let kept = attempts.removeValue(forKey: id) else { return nil }
        bytes[id] = kept
        return kept
    }

    func progress(_ id: TransferID, to newBytes: Int64, of total: Int64?) {
        guard attempts[id] != nil else { return }
        attempts[id] = newBytes
        apply(.progressed(id, bytes: newBytes, total: total))
    }

    /// Moves the clocks to `time` after the start. Delivers the wake-ups that are due on the way.
    func advance(to time: Duration) {
        let target = Machine.start.instant.advanced(by: time)
        while let wake, wake <= target {
            move(to: max(wake, now.instant))
            self.wake = nil
            apply(.woken)
        }
        move(to: target)
    }

    /// Ends the process and starts it again. All attempts are gone, and the conditions count as debounced.
    func restart(policy: any Policy) {
        for id in attempts.keys.sorted() { _ = endAttempt(id) }
        let statistics = scheduler.statistics(at: now, boot: "")
        scheduler = Scheduler(configuration: configuration, policy: policy, statistics: statistics, startingAt: now)
        wake = nil
        conditions.power.isObservedChange = false
        conditions.network.isObservedChange = false
        conditions.linkKind.isObservedChange = false
        conditions.metered.isObservedChange = false
        conditions.connection.isObservedChange = false
        conditions.roaming.isObservedChange = false
        apply(.conditionsChanged(conditions))
    }

    /// Ends the process and starts it again, and recovers the transfers from the store.
    func restartAndRecover() {
        restart(policy: policy)
        let known = store
        store = [:]
        for (id, (traits, state)) in known.sorted(by: { $0.key < $1.key }) {
            var state = state
            state.bytes = bytes[id] ?? 0
            apply(.recovered(id, traits, state))
        }
    }

    /// Moves the clocks without any wake-up.
    func move(to instant: Instant) { now = now.advanced(by: now.instant.duration(to: instant)) }

    func setWallClock(by step: Duration) {
        now.wall = now.wall.advanced(by: step)
        apply(.woken)
    }

    /// Changes the conditions. The changed fact counts as observed at the current time.
    func change(_ body: (inout Conditions, ClockReading) -> Void) {
        body(&conditions, now)
        apply(.conditionsChanged(conditions))
    }

    func explanation(of id: TransferID) -> Explanation? { scheduler.explanation(of: id, at: now) }
    func explanations(of ids: [TransferID], limit: Int) -> ExplanationBatch {
        scheduler.explanations(of: ids, at: now, limit: limit)
    }
    func occupiesSlot(_ id: TransferID) -> Bool { scheduler.occupiesSlot(id) }
    var history: PolicyHistory { scheduler.history }
    var statistics: PersistedStatistics { scheduler.statistics(at: now, boot: "") }
    /// Returns the delay of the app's background work, counted from the app's last launch.
    func relaunchDelay(of app: String) -> Duration { scheduler.relaunchDelay(of: app, at: now)?.delay ?? .zero }
    var openCount: Int { scheduler.openCount }
}

extension Event {
    /// The transfer that the event adds.
    fileprivate var newTransfer: TransferID? {
        switch self {
        case .submitted(let id, _), .recovered(let id, _, _): id
        default: nil
        }
    }
}

extension Conditions {
    /// Updates a fact with a new reading.
    mutating func observe<Value>(
        _ fact: WritableKeyPath<Conditions, Fact<Value>>, _ value: Value, at now: ClockReading
    ) {
        self[keyPath: fact] = self[keyPath: fact]
            .updated(to: value, source: self[keyPath: fact].source, confidence: .reported, at: now)
    }

    /// Defines a custom condition, or changes its value.
    mutating func observe(_ name: String, _ value: String?, at now: ClockReading) {
        if let index = custom.firstIndex(where: { $0.name == name }) {
            custom[index].fact.update(to: value, source: .custom, confidence: .reported, at: now)
        } else {
            custom.append(CustomCondition(name, Fact(value, source: .custom, since: now), origin: "a test"))
        }
    }
}
