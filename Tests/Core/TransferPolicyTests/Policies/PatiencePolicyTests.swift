// SPDX-License-Identifier: Apache-2.0

import Testing
import TransferModel
import TransferPolicy

@Suite struct PatiencePolicyTests {
    @Test("A transfer follows the rule for its own patience, or else for the configured one")
    func rules() {
        for configured in Patience.allCases {
            for own in [nil] + Patience.allCases.map(Optional.some) {
                let rule = PatiencePolicy.rule(for: own ?? configured)
                for hour in stride(from: 0, to: 210, by: 7) {
                    let subject = Sample.subject(deadline: 200 * 3600) { $0.traits.constraints.patience = own }
                    let context = Sample.context(.battery, at: Double(hour) * 3600)
                    #expect(
                        PatiencePolicy(configured).verdict(for: subject, in: context)
                            == rule.verdict(for: subject, in: context))
                }
            }
        }
    }

    @Test("More hurry never means a later start on battery")
    func order() {
        let subject = Sample.subject(deadline: 200 * 3600)
        func start(_ patience: Patience) -> Int {
            (0..<220).first { hour in
                let context = Sample.context(.battery, at: Double(hour) * 3600)
                return PatiencePolicy(patience).verdict(for: subject, in: context).facts != nil
            } ?? 220
        }
        #expect(start(.prompt) <= start(.balanced))
        #expect(start(.balanced) <= start(.relaxed))
        #expect(start(.prompt) < start(.relaxed))
    }

    @Test("No patience uses a metered network on its own")
    func metered() {
        for patience in Patience.allCases {
            for hour in stride(from: 0, through: 210, by: 10) {
                let context = Sample.context(.ac, .yes, at: Double(hour) * 3600)
                let verdict = PatiencePolicy(patience).verdict(for: Sample.subject(deadline: 200 * 3600), in: context)
                #expect(Sample.codes(verdict).contains("metered"), "\(patience), \(hour) h")
            }
        }
    }
}
