// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy

/// A generator of random steps for property tests. Steps that change the schedule are the most frequent.
package struct TrialDice {
    private var dice: SplitMix64
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
        dice = SplitMix64(seed: seed)
        self.population = population
        self.policies = policies
        let names = ["a", "b", "c", "d", "e", "f", "g", "i", "j", "k", "l", "m"]
        apps = Array(names.prefix(Int.random(in: 1...max(3, min(12, population / 4)), using: &dice)))
        hosts = ["h"] + names.prefix(Int.random(in: 0...max(3, min(11, population / 4)), using: &dice))
        sessions = [nil, "s", "t"]
        priorities = Bool.random(using: &dice) ? [500] : [100, 500, 900]
    }

    /// The policies for property tests: all policies of the catalog, and some with other parameters.
    package static let policies: [String] =
        PolicyCatalog.entries.map(\.name) + [
            "default:patience=0.05", "ladder:bat=0.2:cell=0.6", "two-threshold:low=1:gap=2:dwell=10",
            "batch:t=60:longest=600", "backlog:v=1:period=10", "window:gap=2:maxgap=8:open=1:maxopen=2",
            "latest-start:rate=1000:safety=2", "quota:minutes=1:short=0.5:medium=0.5:long=1",
            "budget:battery=1:metered=1", "score:theta=0.3:period=20:full=1", "wiffler:rate=1000",
        ]

    private mutating func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
    private mutating func chance(_ percent: Int) -> Bool { roll(1...100) <= percent }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[roll(0...values.count - 1)] }
    private mutating func milliseconds(_ range: ClosedRange<Int>) -> Int64 { Int64(roll(range)) * 1_000_000 }
    private mutating func seconds(_ range: ClosedRange<Int>) -> Int64 { Int64(roll(range)) * 1_000_000_000 }

    /// Returns an open transfer, and occasionally an ended transfer or an unused id.
    private mutating func someID(_ trial: Trial) -> TransferID {
        if trial.book.ids.isEmpty || chance(3) { return TransferID(Int64(roll(1...Int(max(1, last))))) }
        return pick(trial.book.ids)
    }

    private mutating func runningID(_ trial: Trial) -> TransferID {
        trial.book.running.isEmpty ? someID(trial) : pick(trial.book.running)
    }

    package mutating func next(_ trial: Trial) -> TrialStep {
        let isShort = trial.book.ids.count < population
        switch roll(1...1000) {
        case ...240: return .pass(milliseconds(0...6000))
        case ...270: return .pass(seconds(0...600))
        case ...277: return .pass(seconds(0...40_000))
        case ...278: return .pass(seconds(0...700_000))
        case ...370: return fact()
        case ...560 where isShort: return .submit(nextID(), traits(trial))
        case ...575: return .act(.pause, someID(trial))
        case ...605: return .act(.resume, someID(trial))
        case ...620: return .act(.cancel, someID(trial))
        case ...880: return attempt(trial)
        case ...905: return .change(someID(trial), traits(trial))
        case ...915: return .act(chance(40) ? .hold : .release, someID(trial))
        case ...925:
            return chance(40) ? .need(someID(trial), pick(AppNeed.allCases)) : .act(.answer, someID(trial))
        case ...940: return .app(pick(TrialStep.AppAct.allCases), pick(apps))
        case ...946: return budgets()
        case ...952: return trial.book.watched.count < 3 ? .act(.watch, someID(trial)) : .probe
        case ...957: return trial.book.watched.min().map { .act(.unwatch, $0) } ?? .act(.unwatch, someID(trial))
        case ...963: return .wallStep(chance(70) ? seconds(-600...600) : seconds(-400_000...400_000))
        case ...966: return .fact(zone(trial))
        case ...970: return .policy(pick(policies))
        case ...973: return .restart(isReboot: chance(50))
        case ...978: return .answersStops(chance(60))
        case ...985: return .room(chance(70) ? Int64(roll(0...400)) : nil)
        default: return .probe
        }
    }

    private mutating func nextID() -> TransferID {
        // Ids are not always in order, as with several concurrent submitters.
        if batch.isEmpty {
            batch = (1...Int64(roll(1...4))).map { last + $0 }
            last += Int64(batch.count)
            if chance(30) { batch.shuffle(using: &dice) } else { batch.reverse() }
        }
        return TransferID(batch.removeLast())
    }

    private mutating func fact() -> TrialStep {
        switch roll(1...10) {
        case 1...2: .fact(.power(chance(60) ? .ac : chance(80) ? .battery : .unknown))
        case 3: .fact(.battery(chance(95) ? roll(0...100) : nil))
        case 4: .fact(.network(chance(65) ? .full : pick(Reachability.allCases)))
        case 5: .fact(.link(pick(LinkKind.allCases)))
        case 6: .fact(.connection(pick(["home", "cafe", nil])))
        case 7: .fact(.roaming(chance(70) ? .no : pick(Roaming.allCases)))
        case 8: .fact(.sleep(chance(70) ? .awake : .aboutToSleep))
        case 9: .fact(.profile(pick(PowerProfile.allCases)))
        default: .fact(.metered(chance(60) ? .no : pick(Metered.allCases)))
        }
    }

    private mutating func zone(_ trial: Trial) -> TrialStep.FactChange {
        let offset = Int64(roll(-12...12)) * 3600
        guard chance(50) else { return .zone(offset, from: nil, then: 0) }
        let from = trial.now.wall.advanced(by: .nanoseconds(seconds(-4000...4000)))
        return .zone(offset, from: from, then: offset + 3600)
    }

    private mutating func budgets() -> TrialStep {
        guard chance(70) else { return .budgets([]) }
        var lines: [TrialStep.BudgetLine] = []
        for connection in ["home", "cafe"] where chance(50) {
            lines.append(.init(isOfApp: false, name: connection, limit: Int64(roll(0...40_000)), day: roll(1...31)))
        }
        for app in apps where chance(30) {
            lines.append(.init(isOfApp: true, name: app, limit: Int64(roll(0...20_000)), day: roll(1...31)))
        }
        return .budgets(lines)
    }

    /// Returns an executor's report about an attempt, and occasionally about an attempt that has ended.
    private mutating func attempt(_ trial: Trial) -> TrialStep {
        let id = runningID(trial)
        switch roll(1...100) {
        case ...35:
            let size = trial.book.open[id]?.traits.expectedBytesToReceive
            return .progress(
                id, bytes: Int64(roll(0...(chance(50) ? 3 : 3000))),
                total: chance(20) ? size ?? Int64(roll(0...9000)) : nil)
        case ...65: return .act(.finish, id)
        case ...84: return .fail(id, pick(TrialStep.causes), retryAfter: chance(20) ? seconds(0...5000) : nil)
        case ...89: return .fillDisk(id, needed: chance(70) ? Int64(roll(1...300)) : nil)
        case ...93: return .act(.startOver, id)
        default: return .act(.stopped, id)
        }
    }

    // MARK: Requirements of transfers

    private mutating func traits(_ trial: Trial) -> TransferTraits {
        let now = trial.now.wall
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
        return TransferTraits(
            kind: isFromBackground ? .discretionary : pick([.userInitiated, .normal, .discretionary, .discretionary]),
            constraints: constraints, priority: pick(priorities), host: pick(hosts), app: pick(apps),
            isLoopback: chance(7), expectedBytesToReceive: chance(50) ? Int64(roll(0...2_000_000)) : nil,
            maximumAttempts: chance(15) ? roll(1...7) : nil, submitted: now, session: pick(sessions),
            slotsPerHost: chance(15) ? roll(1...4) : nil, isFromBackground: isFromBackground,
            expires: chance(8) ? date(-100_000...9_000_000) : nil)
    }

    private mutating func constraints() -> Constraints {
        var constraints = Constraints()
        guard chance(70) else { return constraints }
        if chance(25) { constraints.power = chance(50) ? .ac : .acOrBattery(above: roll(20...50)) }
        if chance(25) { constraints.metered = chance(40) ? .unmetered : .allowed }
        if chance(20) { constraints.linkKinds = .only([LinkKinds(.ethernet), LinkKinds(.wifi)]) }
        if chance(15) {
            constraints.connection = ConnectionConstraint(
                allowed: chance(50) ? ["home", "work"] : nil, denied: chance(50) ? ["cafe"] : [],
                allowsRoaming: chance(50))
        }
        guard chance(25) else { return constraints }
        constraints.window = WindowConstraint(
            windows: (0..<roll(1...3)).map { _ in
                let start = chance(50) ? Int64(roll(0...604_799)) : Int64(roll(0...20)) * 600
                return .init(start: start, end: start + Int64(chance(50) ? roll(1...604_800) : roll(60...6000)))
            })
        return constraints
    }
}
