// SPDX-License-Identifier: Apache-2.0

import RandomRuns
import Testing
import TransferModel
import TransferPolicy

/// Every staged policy, with any parameters, on any subject in any context. The verdict for a phase must equal the
/// verdict for each transfer in the phase.
@Suite struct PhasedPolicyTests {
    private static let count = 600 * RandomRuns.factor

    @Test(
        "A policy's verdict on a phase applies to each transfer in it, until phase or state change",
        arguments: [
            ("hours", 40, 10), ("default", 9, 3), ("horizon", 9, 2), ("immediate", 1, 1), ("unmetered", 1, 1),
            ("strict", 1, 1),
            ("ladder", 4, 1),
        ])
    func contract(name: String, phases: Int, states: Int) throws {
        let seed = RandomRuns.seeds(1).lowerBound
        let entry = try #require(PolicyCatalog.entries.first { $0.name == name })
        var examiner = PhaseExaminer(seed: seed)
        for step in 0..<Self.count {
            let policy: any Policy
            if step % 4 == 0, let nonsense = examiner.generator.nonsense().first(where: { Self.name(of: $0) == name }) {
                policy = nonsense
            } else {
                policy = try PolicyCatalog.policy(named: examiner.generator.name(of: entry))
            }
            let staged = try #require(policy as? any PhasedPolicy)
            guard let fault = examiner.fault(of: staged) else { continue }
            Issue.record("TRANSFER_SEED=\(seed), \(name), step \(step): \(fault)\n\(policy)\n\(examiner)")
            return
        }
        // The test is meaningful only if each phase and policy state has occurred. If there are many, some may be
        // missing by chance.
        #expect(examiner.phases.isSubset(of: Set(0..<phases)), "TRANSFER_SEED=\(seed)")
        #expect(examiner.phases.count >= (phases > 4 ? phases / 3 : phases), "TRANSFER_SEED=\(seed)")
        #expect(examiner.states.count <= states, "TRANSFER_SEED=\(seed)")
        #expect(examiner.states.count >= (states > 4 ? states / 3 : states), "TRANSFER_SEED=\(seed)")
        #expect(examiner.runs > 0 && (examiner.waits > 0 || name == "immediate"), "TRANSFER_SEED=\(seed)")
        #expect(examiner.phaseChanges > 0 || phases == 1, "TRANSFER_SEED=\(seed)")
        #expect(examiner.stateChanges > 0 || states == 1, "TRANSFER_SEED=\(seed)")
    }

    @Test("The catalog's other policies are not phased")
    func others() throws {
        let plain = try PolicyCatalog.entries.map(\.name)
            .filter { try !(PolicyCatalog.policy(named: $0) is any PhasedPolicy) }
        #expect(plain == ["price", "wait-awhile", "saving-per-wait"])
    }

    @Test("hours: phases begin at half, three quarters, and all of the time, or the last chance")
    func catalogPhases() {
        func phases(_ subject: PolicySubject) -> [String] {
            [0, 499, 500, 749, 750, 999, 1000].map { second in
                let phase = HoursPolicy().phase(of: subject, at: Sample.monday.advanced(by: .seconds(second)))
                let until = phase.until.map { "…\(Sample.monday.duration(to: $0).wholeNanoseconds / 1_000_000_000)" }
                return "\(phase.number)\(until ?? "")"
            }
        }
        let dated = Sample.subject(deadline: 1000)
        #expect(phases(dated) == ["8…500", "8…500", "17…750", "17…750", "18…1000", "18…1000", "19"])
        // 4000 bytes at 10 bytes per second, times 1.5: 600 s before the end.
        let large = Sample.subject(deadline: 1000, total: 5000, done: 1000, rate: 10)
        #expect(phases(large) == ["8…400", "19", "19", "19", "19", "19", "19"])
        #expect(phases(Sample.subject()) == Array(repeating: "0", count: 7))
        #expect(phases(Sample.subject(deadline: 0)) == Array(repeating: "19", count: 7))
    }

    @Test("hours: before three quarters of the time, the last day is divided into 3 h steps")
    func shippedSteps() {
        let subject = Sample.subject(deadline: 100 * 3600)
        func phase(_ hour: Double) -> RelaxationPhase {
            HoursPolicy().phase(of: subject, at: Sample.monday.advanced(by: .seconds(hour * 3600)))
        }
        func date(_ hour: Int64) -> WallTime { Sample.monday.advanced(by: .seconds(hour * 3600)) }
        #expect(phase(0) == RelaxationPhase(0, until: date(50)))
        #expect(phase(50) == RelaxationPhase(9, until: date(75)))
        #expect(phase(75) == RelaxationPhase(18, until: date(100)))
        let short = Sample.subject(deadline: 30 * 3600)
        let found = [0, 5, 6, 14, 15, 17.9, 18, 22].map {
            HoursPolicy().phase(of: short, at: Sample.monday.advanced(by: .seconds($0 * 3600)))
        }
        #expect(found.map(\.number) == [0, 0, 1, 3, 13, 13, 14, 15])
        let ends: [WallTime?] = [6, 6, 9, 15, 18, 18, 21, 22.5].map { date(0).advanced(by: .seconds($0 * 3600)) }
        #expect(found.map(\.until) == ends)
    }

    @Test("hours: the state changes after three days without AC power, as announced")
    func patience() {
        var history = PolicyHistory()
        history.observe(.init(Sample.conditions { $0.power.value = .battery }, at: Sample.now), localTime: .utc)
        func stateKey(_ power: PowerSource, at second: Double) -> PolicyStateKey {
            HoursPolicy().stateKey(in: Sample.context(power, at: second) { $0.history = history })
        }
        let end = Sample.now.instant.advanced(by: .seconds(3 * 86_400))
        #expect(stateKey(.battery, at: 0) == PolicyStateKey(0, until: end))
        #expect(stateKey(.unknown, at: 259_199.5) == PolicyStateKey(0, until: end))
        #expect(stateKey(.battery, at: 259_200) == PolicyStateKey(1))
        #expect(stateKey(.ac, at: 259_200) == PolicyStateKey())
    }

    private static func name(of policy: any Policy) -> String? {
        switch policy {
        case is HoursPolicy: "hours"
        case is HorizonPolicy: "horizon"
        case is LadderPolicy: "ladder"
        default: nil
        }
    }
}
