// SPDX-License-Identifier: Apache-2.0

import RandomRuns
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

/// The rules that the scheduler keeps under every policy of the catalog.
@Suite struct CatalogueRunTests {
    @Test(
        "Under any policy, slot limits hold, wake-ups lie ahead, and every transfer ends",
        arguments: PolicyCatalog.entries.map(\.name))
    func rules(name: String) throws {
        let seeds = RandomRuns.seeds(1)
        print("CatalogueRunTests \(name): TRANSFER_SEED=\(seeds.lowerBound)")
        for seed in seeds {
            let run = try CatalogueRun(policy: name, seed: seed)
            run.run(steps: 100)
            let again = try CatalogueRun(policy: name, seed: seed)
            again.run(steps: 100)
            #expect(run.machine.log == again.machine.log, "TRANSFER_SEED=\(seed)")
            guard let fault = run.faults.first else { continue }
            let log = run.machine.log.suffix(15).map { "\($0.time): \($0.effect)" }.joined(separator: "\n  ")
            Issue.record("TRANSFER_SEED=\(seed) replays this: \(fault)\n  \(log)")
            return
        }
    }
}

/// Random events for a scheduler with one policy.
private final class CatalogueRun {
    let machine: Machine
    private var generator: SplitMix64
    private var last: Int64 = 0
    private let policy: any Policy
    private var open: Set<TransferID> = []
    private(set) var faults: [String] = []

    init(policy name: String, seed: UInt64) throws {
        generator = SplitMix64(seed: seed)
        policy = try PolicyCatalog.policy(named: name)
        machine = Machine(policy: policy, seed: seed)
        machine.onEvent = { [unowned self] _, effects in check(effects) }
    }

    private func roll(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    private func chance(_ percent: Int) -> Bool { roll(1...100) <= percent }

    private func check(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .wake(let instant?) where instant <= machine.now.instant:
                faults.append("a wake at \(instant) at \(machine.elapsed)")
            case .end(let id, _):
                if open.remove(id) == nil { faults.append("\(id) ended though it is not open") }
            case .wake, .start, .stop, .discard, .saveRetry, .savePaused, .measureSpace, .explain,
                .saveRelaunchDelay, .saveStatistics, .reportDeadline:
                break  // No rule applies.
            }
        }
        let running = open.filter(machine.occupiesSlot)
        if running.count > SchedulerConfiguration().globalSlots { faults.append("\(running.count) run") }
    }

    func run(steps count: Int) {
        for _ in 0..<count where faults.isEmpty { step() }
        finishAll()
    }

    private func step() {
        switch roll(1...10) {
        case ...3: advance(by: chance(80) ? Double(roll(0...400)) : Double(roll(0...100_000)))
        case ...5: change()
        case ...7: submit()
        case 8: machine.apply(.appCameToFront("b"))
        case 9:
            guard let id = machine.attempts.keys.min() else { return }
            machine.progress(id, to: (machine.attempts[id] ?? 0) + Int64(roll(0...100_000_000)), of: 200_000_000)
        default:
            guard let id = machine.attempts.keys.max() else { return }
            let bytes = machine.endAttempt(id) ?? 0
            machine.apply(chance(60) ? .finished(id) : .failed(id, .timeout, retryAfter: nil, bytes: bytes))
        }
    }

    /// Lets time pass. If the scheduler asks for wake-ups without end, the run fails.
    private func advance(by seconds: Double) {
        let target = machine.now.instant.advanced(by: .seconds(seconds))
        for _ in 0..<20_000 {
            guard let wake = machine.wake, wake <= target else {
                machine.move(to: target)
                return
            }
            machine.advance(to: Machine.start.instant.duration(to: wake))
        }
        faults.append("endless wake-ups until \(machine.elapsed)")
    }

    private func change() {
        machine.change { [self] conditions, now in
            switch roll(1...4) {
            case 1: conditions.observe(\.power, chance(40) ? .ac : .battery, at: now)
            case 2: conditions.observe(\.battery, BatteryState(level: roll(10...90)), at: now)
            case 3: conditions.observe(\.network, chance(80) ? .full : .none, at: now)
            default: conditions.observe(\.metered, chance(50) ? .no : .yes, at: now)
            }
        }
    }

    private func submit() {
        guard open.count < 12 else { return }
        last += 1
        let date = machine.now.wall.advanced(by: .seconds(roll(-100...50_000)))
        let constraints = Constraints(deadline: chance(60) ? DeadlineConstraint(date) : nil)
        open.insert(TransferID(last))
        machine.apply(
            .submitted(
                TransferID(last),
                TransferTraits(
                    kind: chance(85) ? .discretionary : .userInitiated, constraints: constraints,
                    host: chance(50) ? "h" : "i", app: chance(50) ? "a" : "b",
                    expectedBytesToReceive: chance(50) ? Int64(roll(0...1_000_000_000)) : nil,
                    submitted: machine.now.wall)))
    }

    /// Checks that every transfer that may run starts eventually on a good machine with a good network.
    private func finishAll() {
        machine.change { conditions, now in
            conditions.observe(\.power, .ac, at: now)
            conditions.observe(\.network, .full, at: now)
            conditions.observe(\.metered, .no, at: now)
        }
        for _ in 0..<400 where !open.isEmpty && faults.isEmpty {
            advance(by: 300)
            while let id = machine.attempts.keys.min() {
                _ = machine.endAttempt(id)
                machine.apply(.finished(id))
            }
        }
        if !open.isEmpty { faults.append("\(open.sorted()) never ran") }
    }
}
