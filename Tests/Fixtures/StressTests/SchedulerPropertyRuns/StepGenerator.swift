// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// A generator of random steps for property tests. Steps that change the schedule are the most frequent.
package struct StepGenerator {
    private var generator: SplitMix64
    private let apps: [String]
    private let hosts: [String]
    private let sessions: [String?]
    private let priorities: [Int]
    private let population: Int
    private let policies: [String]
    private var batch: [Int64] = []
    private var last: Int64 = 0
    /// The constraints that several transfers share.
    private var shared: Constraints?

    package init(seed: UInt64, population: Int, policies: [String]) {
        generator = SplitMix64(seed: seed)
        self.population = population
        self.policies = policies
        let names = ["a", "b", "c", "d", "e", "f", "g", "i", "j", "k", "l", "m"]
        apps = Array(names.prefix(Int.random(in: 1...max(3, min(12, population / 4)), using: &generator)))
        hosts = ["h"] + names.prefix(Int.random(in: 0...max(3, min(11, population / 4)), using: &generator))
        sessions = [nil, "s", "t"]
        priorities = Bool.random(using: &generator) ? [500] : [100, 500, 900]
    }

    /// The policies for property tests: all policies of the catalog, some with other parameters, and a mixture of all.
    package static let policies: [String] =
        PolicyCatalog.entries.map(\.name) + [
            "horizon:floor=0.3:factor=0.05:metered=0.1:level=20:wait=0.05",
            "ladder:bat=0.2:cell=0.6", "mixture",
        ]

    private static let causes: [FailureCause] = [
        .connection, .timeout, .nameResolution, .executorLost, .folderUnavailable, .checksumMismatch, .certificate,
        .status(429), .status(503),
    ]

    private mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    private mutating func chance(_ percent: Int) -> Bool { random(1...100) <= percent }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[random(0...values.count - 1)] }
    private mutating func milliseconds(_ range: ClosedRange<Int>) -> Int64 { Int64(random(range)) * 1_000_000 }
    private mutating func seconds(_ range: ClosedRange<Int>) -> Int64 { Int64(random(range)) * 1_000_000_000 }

    /// Returns an open transfer, and occasionally an ended transfer or an unused id.
    private mutating func someID(_ run: PropertyRun) -> TransferID {
        if run.model.ids.isEmpty || chance(3) { return TransferID(Int64(random(1...Int(max(1, last))))) }
        return pick(run.model.ids)
    }

    private mutating func runningID(_ run: PropertyRun) -> TransferID {
        run.model.running.isEmpty ? someID(run) : pick(run.model.running)
    }

    package mutating func next(_ run: PropertyRun) -> RunStep {
        let isShort = run.model.ids.count < population
        switch random(1...1000) {
        case ...240: return .pass(milliseconds(0...6000))
        case ...270: return .pass(seconds(0...600))
        case ...277: return .pass(seconds(0...40_000))
        case ...278: return .pass(seconds(0...700_000))
        case ...370: return fact()
        case ...560 where isShort: return .submit(nextID(), traits(run))
        case ...575: return .act(.pause, someID(run))
        case ...605: return .act(.resume, someID(run))
        case ...620: return .act(.cancel, someID(run))
        case ...880: return attempt(run)
        case ...905: return .change(someID(run), traits(run))
        case ...915: return .act(chance(40) ? .hold : .release, someID(run))
        case ...925:
            return chance(40) ? .need(someID(run), pick(AppNeed.allCases)) : .act(.respond, someID(run))
        case ...940: return .app(pick(RunStep.AppAct.allCases), pick(apps))
        case ...946: return budgets()
        case ...952: return run.model.watched.count < 3 ? .act(.watch, someID(run)) : .probe
        case ...957: return run.model.watched.min().map { .act(.unwatch, $0) } ?? .act(.unwatch, someID(run))
        case ...963: return .wallStep(chance(70) ? seconds(-600...600) : seconds(-400_000...400_000))
        case ...966: return .fact(chance(50) ? zone(run) : prices(run))
        case ...970: return .policy(pick(policies))
        case ...973: return .restart(isReboot: chance(50))
        case ...978: return .confirmsStops(chance(60))
        case ...985: return .room(chance(70) ? Int64(random(0...400)) : nil)
        default: return .probe
        }
    }

    private mutating func nextID() -> TransferID {
        // Ids are not always in order, as with several concurrent submitters.
        if batch.isEmpty {
            batch = (1...Int64(random(1...4))).map { last + $0 }
            last += Int64(batch.count)
            if chance(30) { batch.shuffle(using: &generator) } else { batch.reverse() }
        }
        return TransferID(batch.removeLast())
    }

    private mutating func fact() -> RunStep {
        switch random(1...13) {
        case 1...2: .fact(.power(chance(60) ? .ac : chance(80) ? .battery : .unknown))
        case 3: .fact(.battery(chance(95) ? random(0...100) : nil))
        case 4: .fact(.network(chance(65) ? .full : pick(Reachability.allCases)))
        case 5: .fact(.link(pick(LinkKind.allCases)))
        case 6: .fact(.connection(pick(["home", "cafe", nil])))
        case 7: .fact(.roaming(chance(70) ? .no : pick(Roaming.allCases)))
        case 8: .fact(.sleep(chance(70) ? .awake : .aboutToSleep))
        case 9: .fact(.profile(pick(PowerProfile.allCases)))
        case 10: .fact(.custom(pick(["call", "load"]), pick(["no", "yes", "low", nil])))
        default: .fact(.metered(chance(40) ? .no : pick(Metered.allCases)))
        }
    }

    private mutating func zone(_ run: PropertyRun) -> RunStep.FactChange {
        let offset = Int64(random(-12...12)) * 3600
        guard chance(50) else { return .zone(offset, from: nil, then: 0) }
        let from = run.now.wall.advanced(by: .nanoseconds(seconds(-4000...4000)))
        return .zone(offset, from: from, then: offset + 3600)
    }

    private mutating func prices(_ run: PropertyRun) -> RunStep.FactChange {
        let from = run.now.wall.advanced(by: .nanoseconds(seconds(-4000...4000)))
        return .prices((0..<random(0...8)).map { _ in random(0...3) }, from: from, each: Int64(random(1...2000)))
    }

    private mutating func budgets() -> RunStep {
        guard chance(70) else { return .budgets([]) }
        // Budgets that a few bytes exhaust, and budgets that last.
        let largest = chance(60) ? 20 : 40_000
        var lines: [RunStep.BudgetLine] = []
        for connection in ["home", "cafe"] where chance(50) {
            lines.append(
                .init(isOfApp: false, name: connection, limit: Int64(random(0...largest)), day: random(1...31)))
        }
        for app in apps where chance(30) {
            lines.append(.init(isOfApp: true, name: app, limit: Int64(random(0...largest)), day: random(1...31)))
        }
        return .budgets(lines)
    }

    /// Returns an executor's report about an attempt, and occasionally about an attempt that has ended.
    private mutating func attempt(_ run: PropertyRun) -> RunStep {
        let id = runningID(run)
        switch random(1...100) {
        case ...35:
            let size = run.model.open[id]?.traits.expectedBytesToReceive
            return .progress(
                id, bytes: Int64(random(0...(chance(50) ? 3 : 3000))),
                total: chance(20) ? size ?? Int64(random(0...9000)) : nil)
        case ...65: return .act(.finish, id)
        case ...84: return .fail(id, pick(Self.causes), retryAfter: chance(20) ? seconds(0...5000) : nil)
        case ...89: return .runOutOfSpace(id, needed: chance(70) ? Int64(random(1...300)) : nil)
        case ...93: return .act(.startOver, id)
        default: return .act(.stopped, id)
        }
    }

    // MARK: Requirements of transfers

    private mutating func traits(_ run: PropertyRun) -> TransferTraits {
        let now = run.now.wall
        var constraints = shared ?? Constraints()
        if shared == nil || chance(15) { constraints = self.constraints() }
        shared = chance(70) ? constraints : nil
        func date(_ range: ClosedRange<Int>) -> WallTime {
            let date = now.advanced(by: .nanoseconds(milliseconds(range)))
            // Dates often coincide with the round dates of other transfers.
            guard chance(50) else { return date }
            return WallTime(secondsSinceEpoch: (date.secondsSinceEpoch / 600 + 1) * 600)
        }
        if chance(15) { constraints.notBefore = NotBeforeConstraint(date(-100_000...3_000_000)) }
        if chance(35) { constraints.deadline = DeadlineConstraint(date(-100_000...9_000_000)) }
        let isFromBackground = chance(20)
        var traits = TransferTraits(
            kind: isFromBackground ? .discretionary : pick([.userInitiated, .normal, .discretionary, .discretionary]),
            constraints: constraints, priority: pick(priorities), host: pick(hosts), app: pick(apps),
            isLoopback: chance(7), expectedBytesToReceive: chance(50) ? Int64(random(0...2_000_000)) : nil,
            maximumAttempts: chance(15) ? random(1...7) : nil, submitted: now, session: pick(sessions),
            slotsPerHost: chance(15) ? random(1...4) : nil, isFromBackground: isFromBackground,
            expires: chance(8) ? date(-100_000...9_000_000) : nil)
        if chance(15) { traits.policy = pick(Self.policies) }
        return traits
    }

    private static let customConstraints = [["call=no"], ["load=low/no"], ["call=no/yes", "load=low"]].map {
        $0.compactMap { CustomConstraint($0) }
    }

    private mutating func constraints() -> Constraints {
        var constraints = Constraints()
        guard chance(70) else { return constraints }
        if chance(25) { constraints.power = chance(50) ? .ac : .acOrBattery(above: random(20...50)) }
        if chance(30) { constraints.patience = pick(Patience.allCases) }
        if chance(25) { constraints.metered = chance(40) ? .unmetered : .allowed }
        if chance(20) { constraints.linkKinds = .only([LinkKinds(.ethernet), LinkKinds(.wifi)]) }
        if chance(15) {
            constraints.connection = ConnectionConstraint(
                allowed: chance(50) ? ["home", "work"] : nil, denied: chance(50) ? ["cafe"] : [],
                allowsRoaming: chance(50))
        }
        if chance(15) { constraints.price = PriceConstraint(below: Double(random(1...3))) }
        if chance(15) { constraints.custom = pick(Self.customConstraints) }
        guard chance(25) else { return constraints }
        constraints.window = WindowConstraint(
            windows: (0..<random(1...3)).map { _ in
                let start = chance(50) ? Int64(random(0...604_799)) : Int64(random(0...20)) * 600
                return .init(start: start, end: start + Int64(chance(50) ? random(1...604_800) : random(60...6000)))
            })
        return constraints
    }
}
