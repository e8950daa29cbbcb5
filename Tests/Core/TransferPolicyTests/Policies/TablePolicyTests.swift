// SPDX-License-Identifier: Apache-2.0

import RandomRuns
import Testing
import TransferModel
import TransferPolicy

/// Every policy with a table, with any parameters, on any subject in any context. The verdict of
/// the rows must equal the verdict on each transfer in their phase.
@Suite struct TablePolicyTests {
    private static let count = 600 * RandomRuns.factor

    @Test(
        "A policy's verdict on a phase applies to each transfer in it, until phase or state change",
        arguments: [
            ("default", 6, 3), ("horizon", 9, 2), ("immediate", 1, 1), ("unmetered", 1, 1),
            ("strict", 1, 1),
            ("ladder", 4, 1),
        ])
    func contract(name: String, phases: Int, states: Int) throws {
        let seed = RandomRuns.seeds(1).lowerBound
        let entry = try #require(PolicyCatalog.entries.first { $0.name == name })
        var examiner = TableExaminer(seed: seed)
        for step in 0..<Self.count {
            let policy: any Policy
            if step % 4 == 0, let nonsense = examiner.generator.nonsense().first(where: { Self.name(of: $0) == name }) {
                policy = nonsense
            } else {
                policy = try PolicyCatalog.policy(named: examiner.generator.name(of: entry))
            }
            let policyWithTable = try #require(policy as? any TablePolicy)
            guard let fault = examiner.fault(of: policyWithTable) else { continue }
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

    @Test("The catalog's other policies have no table")
    func others() throws {
        let plain = try PolicyCatalog.entries.map(\.name)
            .filter { try !(PolicyCatalog.policy(named: $0) is any TablePolicy) }
        #expect(plain == ["price", "wait-awhile", "saving-per-wait"])
    }

    @Test("horizon: the state changes after three days without AC power, as announced")
    func patience() {
        var history = PolicyHistory()
        history.observe(.init(Sample.conditions { $0.power.value = .battery }, at: Sample.now), localTime: .utc)
        func stateKey(_ power: PowerSource, at second: Double) -> PolicyStateKey {
            HorizonPolicy().stateKey(in: Sample.context(power, at: second) { $0.history = history })
        }
        let end = Sample.now.instant.advanced(by: .seconds(3 * 86_400))
        #expect(stateKey(.battery, at: 0) == PolicyStateKey(0, until: end))
        #expect(stateKey(.unknown, at: 259_199.5) == PolicyStateKey(0, until: end))
        #expect(stateKey(.battery, at: 259_200) == PolicyStateKey(1))
        #expect(stateKey(.ac, at: 259_200) == PolicyStateKey())
    }

    private static func name(of policy: any Policy) -> String? {
        switch policy {
        case is HorizonPolicy: "horizon"
        case is LadderPolicy: "ladder"
        default: nil
        }
    }
}
