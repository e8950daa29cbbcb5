// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// A random machine with random wishes, built from a seed. The same seed builds the same machine, so that one machine
/// can be changed in many ways.
struct PredictionScenario {
    let seed: UInt64
    let policyName: String
    private var generator: SplitMix64

    /// The policies with their default parameters. No scenario has prices, without which policies on prices are equal
    /// to `unmetered`.
    static let policies = PolicyCatalog.entries.map(\.name).filter { name in
        !((try? PolicyCatalog.policy(named: name)) is PricePolicy)
    }

    init(seed: UInt64) {
        self.seed = seed
        var generator = SplitMix64(seed: seed)
        policyName = Self.policies.randomElement(using: &generator) ?? "default"
        self.generator = generator
    }

    /// Returns the machine after the scenario.
    ///
    /// The slots suffice for all transfers, so that no start depends on another transfer's end.
    func machine() -> Machine {
        var generator = generator
        var configuration = SchedulerConfiguration()
        (configuration.globalSlots, configuration.slotsPerHost) = (64, 64)
        (configuration.slotsPerApp, configuration.slotsPerSession) = (64, 64)
        let policy = (try? PolicyCatalog.policy(named: policyName)) ?? PatiencePolicy()
        let machine = Machine(configuration: configuration, policy: policy, seed: seed)
        Self.changeConditions(of: machine, using: &generator)
        for number in 1...Int64.random(in: 1...6, using: &generator) {
            machine.apply(.submitted(TransferID(number), Self.traits(at: machine.now.wall, using: &generator)))
            if Bool.random(using: &generator) { Self.disturb(machine, TransferID(number), using: &generator) }
            machine.advance(
                to: machine.elapsed + .milliseconds(Int64.random(in: 0...7_200_000, using: &generator)))
        }
        Self.changeConditions(of: machine, using: &generator)
        machine.advance(to: machine.elapsed + .milliseconds(Int64.random(in: 0...30_000, using: &generator)))
        return machine
    }

    // MARK: Random values

    private static func changeConditions(of machine: Machine, using generator: inout SplitMix64) {
        machine.change { conditions, now in
            conditions.observe(
                \.power, [.ac, .ac, .battery, .battery, .unknown].randomElement(using: &generator) ?? .ac, at: now)
            conditions.observe(
                \.battery, BatteryState(level: Int.random(in: 1...100, using: &generator)), at: now)
            let networks: [Reachability] = [.full, .full, .full, .portal, .none]
            conditions.observe(\.network, networks.randomElement(using: &generator) ?? .full, at: now)
            conditions.observe(
                \.linkKind,
                [.wifi, .ethernet, .cellular, .usbTether, .bluetooth, .unknown].randomElement(using: &generator)
                    ?? .wifi,
                at: now)
            conditions.observe(
                \.metered, [.no, .yes, .guessNo, .guessYes, .unknown].randomElement(using: &generator) ?? .no, at: now)
            conditions.observe(
                \.connection, ["home", "office", "cafe", nil].randomElement(using: &generator) ?? nil, at: now)
            conditions.observe(\.roaming, [.no, .no, .yes].randomElement(using: &generator) ?? .no, at: now)
        }
    }

    private static func disturb(_ machine: Machine, _ id: TransferID, using generator: inout SplitMix64) {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: machine.apply(.paused(id))
        case 1: machine.apply(.held(id, by: "a test", why: "because"))
        case 2:
            machine.advance(to: machine.elapsed + .seconds(3))
            machine.progress(id, to: Int64.random(in: 1...10_000_000, using: &generator), of: nil)
        case 3:
            guard let bytes = machine.endAttempt(id) else { return }
            machine.apply(.failed(id, .connection, retryAfter: nil, bytes: bytes))
        case 4: machine.apply(.appCameToFront("app"))
        default: changeConditions(of: machine, using: &generator)
        }
    }

    private static func traits(at now: WallTime, using generator: inout SplitMix64) -> TransferTraits {
        func maybe<Value>(_ value: Value, _ generator: inout SplitMix64) -> Value? {
            Bool.random(using: &generator) ? value : nil
        }
        func date(_ hours: Int64, _ generator: inout SplitMix64) -> WallTime {
            now.advanced(by: .seconds(Int64.random(in: 60...hours * 3600, using: &generator)))
        }
        var constraints = Constraints()
        constraints.power =
            [.any, .any, .ac, .acOrBattery(above: Int.random(in: 10...90, using: &generator))]
            .randomElement(using: &generator) ?? .any
        constraints.metered =
            [.unstated, .unstated, .allowed, .unmetered].randomElement(using: &generator) ?? .unstated
        constraints.linkKinds =
            [.any, .only(LinkKinds(.wifi)), .only(LinkKinds(.cellular))].randomElement(using: &generator) ?? .any
        constraints.connection =
            [
                .init(), .init(), ConnectionConstraint(allowed: ["home"]), ConnectionConstraint(denied: ["cafe"]),
                ConnectionConstraint(allowsRoaming: false),
            ].randomElement(using: &generator) ?? .init()
        constraints.deadline = maybe(DeadlineConstraint(date(48, &generator)), &generator)
        constraints.notBefore = maybe(NotBeforeConstraint(date(6, &generator)), &generator)
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let start = Int64.random(in: 0..<86_400, using: &generator)
            let length = Int64.random(in: 1800...36_000, using: &generator)
            constraints.window = WindowConstraint(
                windows: (0..<7).map { .init(start: $0 * 86_400 + start, end: $0 * 86_400 + start + length) })
        }
        let kind = [.discretionary, .discretionary, .normal].randomElement(using: &generator) ?? WorkKind.normal
        let patiences: [Patience?] = [nil, .relaxed, .balanced, .prompt]
        constraints.patience = patiences.randomElement(using: &generator) ?? nil
        return TransferTraits(
            kind: kind, constraints: constraints, host: "h", app: "app",
            expectedBytesToReceive: maybe(Int64.random(in: 1...2_000_000_000, using: &generator), &generator),
            submitted: now)
    }
}
