// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@Suite struct MixedPolicyTests {
    @Test("A transfer's own policy decides; without one or with an unknown one, the base policy decides")
    func choice() { check(MixedPolicy(base: UnmeteredPolicy())) }

    @Test("A name that is known in advance decides as one that is not, and an invalid name changes nothing")
    func known() {
        check(MixedPolicy(base: UnmeteredPolicy(), names: ["strict", "immediate", "no-such-policy", "strict"]))
    }

    private func check(_ policy: MixedPolicy) {
        func codes(_ name: String?, _ power: PowerSource, _ metered: Metered) -> [String] {
            let subject = Sample.subject { $0.traits.policy = name }
            return Sample.codes(policy.verdict(for: subject, in: Sample.context(power, metered)))
        }
        #expect(codes(nil, .battery, .yes) == ["metered"])
        #expect(codes("strict", .battery, .yes) == ["onBattery", "metered"])
        #expect(codes("immediate", .battery, .yes) == [])
        #expect(codes("no-such-policy", .battery, .yes) == ["metered"])
    }

    @Test("The outlook is that of the transfer's own policy, or else of the base policy")
    func outlook() {
        let context = Sample.context(.battery)
        let policy = MixedPolicy(base: HorizonPolicy())
        let subject = Sample.subject(deadline: 200 * 3600)
        let own = Sample.subject(deadline: 200 * 3600) { $0.traits.policy = "unmetered" }
        #expect(policy.outlook(for: subject, in: context) != nil)
        #expect(policy.outlook(for: subject, in: context) == HorizonPolicy().outlook(for: subject, in: context))
        #expect(policy.outlook(for: own, in: context) == nil)
    }
}
