// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A run of random steps from a seed. Each step is checked against the rules.
///
/// The seed alone reproduces the run, so a failure is replayed by its seed. The steps are kept as text.
final class SchedulerRun {
    let machine: Machine
    private var generator: SplitMix64
    private var oracle: Oracle
    private var last: Int64 = 0
    private let configuration: SchedulerConfiguration
    /// Whether budgets are set at times. Their renewals wake up the scheduler even if other reasons prevent starts.
    private let hasBudgets: Bool
    /// The steps with their times. The event is `nil` for a restart.
    private var applied: [(time: Duration, event: Event?)] = []
    private(set) var faults: [String] = []
    private(set) var submitted: Set<TransferID> = []

    init(seed: UInt64) {
        generator = SplitMix64(seed: seed)
        var configuration = SchedulerConfiguration()
        (configuration.slotsPerApp, configuration.slotsPerSession, configuration.keepsDeadlines) = (3, 2, false)
        configuration.staggeredStartJitter = seed.isMultiple(of: 2) ? .zero : .seconds(5)
        self.configuration = configuration
        hasBudgets = seed % 3 == 0
        let jitter = configuration.staggeredStartJitter
        machine = Machine(configuration: configuration, seed: seed, staggeredStartJitter: jitter)
        oracle = Oracle(conditions: machine.conditions, configuration: configuration)
        oracle.hours.update(machine.conditions, at: machine.now)
        machine.onEvent = { [unowned self] event, effects in
            record(oracle.watch(event, effects, at: machine.now))
            for app in Self.apps {
                let delay = machine.relaunchDelay(of: app)
                let expected = oracle.delay(of: app, at: machine.now.instant)
                if delay != expected { record(["\(app) is delayed by \(delay) instead of \(expected)"]) }
            }
            if case .woken = event { return }
            applied.append((machine.elapsed, event))
        }
    }

    /// Runs up to `count` steps, and then until everything has ended. Stops at the first fault.
    func run(steps count: Int) {
        for _ in 0..<count where faults.isEmpty { step() }
        if faults.isEmpty { staggeredStart() }
    }

    var endedCount: Int { oracle.ended.count }

    /// Returns the last steps as text.
    func lastSteps(_ count: Int) -> [String] {
        applied.suffix(count).map { "\($0.time): \($0.event.map(Self.text) ?? "restart")" }
    }

    private static func text(_ event: Event) -> String {
        switch event {
        case .conditionsChanged(let conditions):
            "power \(conditions.power.value), battery \(conditions.battery.value.level ?? -1), "
                + "network \(conditions.network.value), link \(conditions.linkKind.value), "
                + "metered \(conditions.metered.value)"
        case .submitted(let id, let traits): "submitted \(id): \(text(traits))"
        case .changed(let id, let traits): "changed \(id): \(text(traits))"
        case .recovered(let id, let traits, let state):
            "recovered \(id), paused \(state.isPaused), failures \(state.retry?.attempts ?? 0): \(text(traits))"
        default: "\(event)"
        }
    }

    private static func text(_ traits: TransferTraits) -> String {
        let constraints = traits.constraints
        func seconds(_ date: WallTime?) -> String {
            date.map { "\(Machine.start.wall.duration(to: $0).components.seconds) s" } ?? "-"
        }
        return "\(traits.kind) host \(traits.host) power \(constraints.power) \(constraints.metered) links "
            + "\(constraints.linkKinds) not before \(seconds(constraints.notBefore?.date)) deadline "
            + "\(seconds(constraints.deadline?.date)) windows \(constraints.window?.windows.map { ($0.start, $0.end) } ?? [])"
    }

    private func record(_ new: [String]) {
        faults += new.map { "\($0) at \(machine.elapsed)" }
    }

    private func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    private func chance(_ percent: Int) -> Bool { roll(1...100) <= percent }
    private func pick<Value>(_ values: [Value]) -> Value? { values.isEmpty ? nil : values[roll(0...values.count - 1)] }

    // MARK: Steps

    private static let apps = ["x", "y"]

    private func step() {
        let open = oracle.open.keys.sorted()
        switch roll(1...100) {
        case ...35: pass(.milliseconds(roll(0...6000)))
        case ...38:
            // Disk space is measured every 15 s, so a long time would contain nothing else.
            let isMeasuring = oracle.open.values.contains { $0.spaceNeeded != nil }
            pass(.seconds(roll(0...(isMeasuring ? 100 : 40_000))))
        case ...52: changeFact()
        case ...62 where open.count < 9: submit()
        case ...65: if let id = pick(open) { machine.apply(.paused(id)) }
        case ...69: if let id = pick(open) { machine.apply(.resumed(id)) }
        case ...71: if let id = pick(open) { machine.apply(.cancelled(id)) }
        case ...90: attemptStep()
        case ...92: if let id = pick(open) { machine.apply(.changed(id, traits(of: oracle.open[id]?.traits))) }
        case ...93: machine.setWallClock(by: .seconds(roll(-600...600)))
        case ...94: restart()
        case ...95: machine.answersStops.toggle()
        case ...98: appStep(open)
        default: machine.room = chance(70) ? Int64(roll(0...200)) : nil
        }
    }

    /// Lets time pass. Each wake-up must find something to do, and nothing may happen between two wake-ups.
    private func pass(_ duration: Duration) {
        let target = machine.now.instant.advanced(by: duration)
        while let wake = machine.wake, wake <= target, faults.isEmpty {
            // In these cases, a wake-up may find nothing to do:
            // - During the hysteresis, the deadline may come to allow a running transfer. The transfer then only
            //   continues.
            // - A phase before the deadline may change nothing, because the transfer's own constraint equals the
            //   policy's. The transfer may also wait for something else.
            // - The end of a staggered start's wait may find no free slot.
            // - A transfer that is already being stopped has nothing left to do when it expires.
            let mayBeIdle =
                hasBudgets || oracle.staggeredStart.mayBeClosed(at: machine.now.instant)
                || oracle.open.values.contains { known in
                    let constraints = known.traits.constraints
                    return known.powerMissingSince != nil || (known.isStopping && known.traits.expires != nil)
                        || (known.traits.kind == .discretionary && constraints.power != .any)
                        || (constraints.deadline != nil && (constraints.power != .any || !known.isRunning))
                }
            let before = machine.log.count
            machine.advance(to: Machine.start.instant.duration(to: wake))
            let isIdle = machine.log[before...].allSatisfy { if case .wake = $0.effect { true } else { false } }
            if isIdle, !mayBeIdle { record(["unneeded wake-up"]) }
        }
        machine.move(to: target)
        let effects = machine.apply(.woken)
        if !effects.isEmpty { record(["\(effects) was missed: no wake-up had been requested"]) }
    }

    private func changeFact() {
        machine.change { [self] conditions, now in
            switch roll(1...8) {
            case 1: conditions.observe(\.power, chance(60) ? .ac : chance(80) ? .battery : .unknown, at: now)
            case 2: conditions.observe(\.battery, BatteryState(level: roll(10...60)), at: now)
            case 3: conditions.observe(\.network, chance(60) ? .full : pick(Reachability.allCases) ?? .full, at: now)
            case 4: conditions.observe(\.linkKind, pick([.ethernet, .wifi, .cellular, .unknown]) ?? .wifi, at: now)
            case 5: conditions.observe(\.connection, pick(["home", "cafe", nil]) ?? nil, at: now)
            case 7: conditions.observe(\.sleep, chance(70) ? .awake : .aboutToSleep, at: now)
            case 6: conditions.observe(\.roaming, chance(70) ? .no : pick(Roaming.allCases) ?? .no, at: now)
            default: conditions.observe(\.metered, chance(60) ? .no : pick(Metered.allCases) ?? .no, at: now)
            }
        }
    }

    /// Performs a random step of an app or of the user. The app is launched, comes to the front, or is not launched
    /// after all. A transfer is blocked or released, or needs its app. A budget changes.
    private func appStep(_ open: [TransferID]) {
        guard let app = pick(Self.apps) else { return }
        let held = pick(open.filter { oracle.open[$0]?.isHeld == true })
        let needy = pick(open.filter { oracle.open[$0]?.hasNeed == true })
        switch roll(1...11) {
        case ...3: machine.apply(.appRelaunched(app))
        case 4: machine.apply(.appCameToFront(app))
        case 5: machine.apply(.relaunchAbandoned(app))
        case 6: if let id = pick(open) { machine.apply(.held(id, by: "root", why: "backup")) }
        case 7: if let id = held ?? pick(open) { machine.apply(.released(id)) }
        case 8: if let id = pick(open) { machine.apply(.appNeeded(id, pick(AppNeed.allCases) ?? .authentication)) }
        case 9: if let id = needy ?? pick(open) { machine.apply(.appResponded(id)) }
        default:
            guard hasBudgets else { return }
            var registry = oracle.budgets
            let budget = try? ByteBudget(
                limit: Int64(roll(0...20)), billingDay: roll(1...31), at: machine.now.wall, localTime: .utc)
            if chance(50) {
                registry.apps[app] = chance(80) ? budget : nil
            } else {
                registry.connections["home"] = budget
            }
            machine.apply(.budgetsChanged(registry))
        }
    }

    /// Returns random traits. A changed transfer keeps its app and its session.
    private func traits(of changed: TransferTraits? = nil) -> TransferTraits {
        var constraints = Constraints()
        if chance(30) { constraints.power = chance(50) ? .ac : .acOrBattery(above: roll(20...50)) }
        if chance(30) { constraints.metered = chance(50) ? .unmetered : .allowed }
        if chance(20) { constraints.linkKinds = .only([LinkKinds(.ethernet), LinkKinds(.wifi)]) }
        if chance(15) {
            constraints.connection = ConnectionConstraint(
                allowed: chance(50) ? ["home", "work"] : nil, denied: chance(50) ? ["cafe"] : [],
                allowsRoaming: chance(50))
        }
        let wall = machine.now.wall
        if chance(20) { constraints.notBefore = NotBeforeConstraint(wall.advanced(by: .seconds(roll(-100...3000)))) }
        if chance(30) { constraints.deadline = DeadlineConstraint(wall.advanced(by: .seconds(roll(0...10_000)))) }
        if chance(20) {
            constraints.window = WindowConstraint(
                windows: (0..<roll(1...3)).map { _ in
                    let start = Int64(roll(0...604_799))
                    return .init(start: start, end: start + Int64(roll(1...604_800)))
                })
        }
        let kinds: [WorkKind] = [.userInitiated, .normal, .discretionary, .discretionary]
        let (app, session) = (pick(Self.apps) ?? "x", pick(["s", "t", nil]) ?? nil)
        return TransferTraits(
            kind: pick(kinds) ?? .normal, constraints: constraints, priority: pick([100, 500, 900]) ?? 500,
            host: pick(["a", "b", "c"]) ?? "a", app: changed?.app ?? app, isLoopback: chance(10),
            maximumAttempts: chance(20) ? roll(1...7) : nil, submitted: wall,
            session: changed == nil ? session : changed?.session, slotsPerHost: chance(20) ? roll(1...3) : nil,
            isFromBackground: chance(20), expires: chance(10) ? wall.advanced(by: .seconds(roll(-50...5000))) : nil)
    }

    private func submit() {
        last += 1
        submitted.insert(TransferID(last))
        machine.apply(.submitted(TransferID(last), traits()))
    }

    /// Reports a random event of an attempt, as an executor would. The attempt may be one that is being stopped.
    private func attemptStep() {
        let running = machine.attempts.keys.sorted()
        guard let id = pick(running) else { return }
        let bytes = machine.attempts[id] ?? 0
        switch roll(1...10) {
        case ...3: machine.progress(id, to: bytes + Int64(roll(0...5)), of: nil)
        case ...5: if let kept = machine.endAttempt(id), kept >= 0 { machine.apply(.finished(id)) }
        case ...8:
            let cause = pick([FailureCause.connection, .timeout, .status(503), .certificate, .nameResolution])
            let retryAfter = chance(20) ? Duration.seconds(roll(0...5000)) : nil
            let kept = machine.endAttempt(id) ?? 0
            machine.apply(.failed(id, cause ?? .timeout, retryAfter: retryAfter, bytes: kept))
        case 9:
            let kept = machine.endAttempt(id) ?? 0
            machine.apply(.ranOutOfSpace(id, needed: Int64(roll(1...150)), available: 0, bytes: kept))
        default:
            if oracle.open[id]?.isStopping == true, let kept = machine.endAttempt(id) {
                machine.apply(.stopped(id, bytes: kept))
            }
        }
    }

    /// Ends the process and starts it again. The transfers are recovered from the saved state.
    private func restart() {
        let stored = oracle.open
        applied.append((machine.elapsed, nil))
        oracle.open = [:]
        oracle.staggeredStart.forget()
        oracle.hours.restart(at: machine.now)
        let relaunchDelays = machine.store.mapValues(\.state.relaunchDelay)
        machine.restart(policy: HoursPolicy())
        for (id, known) in stored.sorted(by: { $0.key < $1.key }) {
            let state = RecoveredState(
                bytes: machine.bytes[id] ?? 0, retry: known.retry, isPaused: known.isPaused,
                relaunchDelay: relaunchDelays[id] ?? nil)
            machine.apply(.recovered(id, known.traits, state))
        }
    }

    /// Checks that everything ends on a good machine with a good network, because all transfers start eventually.
    private func staggeredStart() {
        machine.answersStops = true
        machine.room = 1_000_000
        for id in machine.attempts.keys.sorted() where oracle.open[id]?.isStopping == true {
            machine.apply(.stopped(id, bytes: machine.endAttempt(id) ?? 0))
        }
        machine.change { conditions, now in
            conditions.observe(\.power, .ac, at: now)
            conditions.observe(\.network, .full, at: now)
            conditions.observe(\.linkKind, .ethernet, at: now)
            conditions.observe(\.metered, .no, at: now)
            conditions.observe(\.connection, "home", at: now)
            conditions.observe(\.roaming, .no, at: now)
            conditions.observe(\.sleep, .awake, at: now)
        }
        for app in Self.apps { machine.apply(.appCameToFront(app)) }
        for id in oracle.open.keys.sorted() {
            machine.apply(.released(id))
            machine.apply(.appResponded(id))
        }
        for id in oracle.open.keys.sorted() { machine.apply(.resumed(id)) }
        for _ in 0..<2000 where machine.openCount > 0 && faults.isEmpty {
            // Advance only to the next wake-up, so that a started transfer ends before its window closes.
            pass(machine.wake.map { max(.zero, machine.now.instant.duration(to: $0)) } ?? .zero)
            while let id = machine.attempts.keys.min() {
                _ = machine.endAttempt(id)
                machine.apply(.finished(id))
            }
        }
        if machine.openCount > 0 { record(["\(machine.openCount) transfers never ran"]) }
        if oracle.ended != submitted { record(["lost: \(submitted.symmetricDifference(oracle.ended))"]) }
        if machine.wake != nil { record(["a wake-up is requested without remaining transfers"]) }
    }
}
