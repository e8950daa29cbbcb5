// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A scheduler with a clock that tests move, a machine whose facts they set, and an executor that obeys.
final class Machine {
    /// Monday 2026-11-23 00:00:00 UTC, so that the second of the week is the second of the test.
    static let start = Moment(
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
    /// Attempts under way, those told to stop included, with their bytes.
    private(set) var attempts: [TransferID: Int64] = [:]
    private(set) var bytes: [TransferID: Int64] = [:]
    /// What the effects ask to be remembered of transfers that are not over, and what was handed over.
    private(set) var store: [TransferID: (traits: TransferTraits, state: RecoveredState)] = [:]
    private var policy: any Policy
    private var generator: SplitMix64
    private let configuration: SchedulerConfiguration
    /// Called after every event with what it led to.
    var onEvent: ((Event, [Effect]) -> Void)?
    /// Whether every transfer is watched from the start.
    let watchesAll: Bool
    /// Whether a stop is answered at once.
    var answersStops = true
    /// What a measurement of room answers; nil leaves it unanswered.
    var room: Int64?

    init(
        configuration: SchedulerConfiguration = SchedulerConfiguration(), policy: any Policy = DefaultPolicy(),
        conditions: Conditions = Machine.goodConditions(), now: Moment = Machine.start, seed: UInt64 = 1,
        drainJitter: Duration = .zero, watchesAll: Bool = true
    ) {
        self.watchesAll = watchesAll
        var configuration = configuration
        configuration.drainJitter = drainJitter
        self.configuration = configuration
        self.policy = policy
        scheduler = Scheduler(configuration: configuration, policy: policy, startingAt: now)
        self.conditions = conditions
        self.now = now
        generator = SplitMix64(seed: seed)
        apply(.conditionsChanged(conditions))
    }

    /// On AC, on unmetered ethernet, as found at the start.
    static func goodConditions(at now: Moment = Machine.start) -> Conditions {
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
            onEvent?(next, effects)
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
        default: break  // Nothing that a store would keep.
        }
    }

    /// Decides by another policy from now on.
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
        case .saveRelaunchHold(let id, let hold): store[id]?.state.relaunchHold = hold
        case .discard, .saveLearned, .explain: break  // Nothing that a machine would answer.
        }
        return nil
    }

    /// Takes the attempt away and says how many bytes it leaves; nil where there is none.
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

    /// Moves the clocks to `time` after the start; what was asked to wake is woken on the way.
    func advance(to time: Duration) {
        let target = Machine.start.instant.advanced(by: time)
        while let wake, wake <= target {
            move(to: max(wake, now.instant))
            self.wake = nil
            apply(.woken)
        }
        move(to: target)
    }

    /// Ends the process and starts it again: attempts are gone, and what is known of the machine counts as settled.
    func restart(policy: any Policy) {
        for id in attempts.keys.sorted() { _ = endAttempt(id) }
        let learned = scheduler.learned(at: now, boot: "")
        scheduler = Scheduler(configuration: configuration, policy: policy, learned: learned, startingAt: now)
        wake = nil
        conditions.power.isObservedChange = false
        conditions.network.isObservedChange = false
        conditions.linkKind.isObservedChange = false
        conditions.metered.isObservedChange = false
        conditions.connection.isObservedChange = false
        conditions.roaming.isObservedChange = false
        apply(.conditionsChanged(conditions))
    }

    /// The same, and hands over what the store knows.
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

    /// Moves the clocks without waking anybody.
    func move(to instant: Instant) { now = now.advanced(by: now.instant.duration(to: instant)) }

    func setWallClock(by step: Duration) {
        now.wall = now.wall.advanced(by: step)
        apply(.woken)
    }

    /// Lets the machine change; the fact that changes is seen to change now.
    func change(_ body: (inout Conditions, Moment) -> Void) {
        body(&conditions, now)
        apply(.conditionsChanged(conditions))
    }

    func explanation(of id: TransferID) -> Explanation? { scheduler.explanation(of: id, at: now) }
    func holdsSlot(_ id: TransferID) -> Bool { scheduler.holdsSlot(id) }
    var history: PolicyHistory { scheduler.history }
    var learned: Learned { scheduler.learned(at: now, boot: "") }
    /// How long background work of the app waits, from its last start on.
    func relaunchDelay(of app: String) -> Duration { scheduler.relaunchDelay(of: app, at: now)?.delay ?? .zero }
    var openCount: Int { scheduler.openCount }
}

extension Event {
    /// The transfer that this brings.
    fileprivate var newTransfer: TransferID? {
        switch self {
        case .submitted(let id, _), .recovered(let id, _, _): id
        default: nil
        }
    }
}

extension Conditions {
    /// Takes over a new reading of a fact.
    mutating func observe<Value>(
        _ fact: WritableKeyPath<Conditions, Fact<Value>>, _ value: Value, at now: Moment
    ) {
        self[keyPath: fact] = self[keyPath: fact]
            .updated(to: value, source: self[keyPath: fact].source, sureness: .reported, at: now)
    }
}
