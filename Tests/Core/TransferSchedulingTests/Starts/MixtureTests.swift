// SPDX-License-Identifier: Apache-2.0
import Synchronization
import Testing
import TransferModel
import TransferPolicy
import TransferScheduling

@Suite("Transfers with policies of their own")
struct MixtureTests {
    /// A policy that waits for AC power and counts its verdicts.
    private struct CountingPolicy: TablePolicy {
        final class Count: Sendable {
            let verdicts = Atomic(0)
        }
        let count: Count

        func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
            PolicyTable(power: [.init(.always, .ac)])
        }

        func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
            count.verdicts.add(1, ordering: .relaxed)
            return PowerConstraint.ac.verdict(under: context.conditions)
        }
    }

    private static func traits(_ host: Int64, policy: String? = nil) -> TransferTraits {
        var traits = TransferTraits(kind: .discretionary, host: "\(host)", submitted: Machine.start.wall)
        traits.policy = policy
        return traits
    }

    @Test("A transfer whose policy has no table is evaluated alone", arguments: ["price", "no-such-policy"])
    func alone(name: String) {
        let count = CountingPolicy.Count()
        let policy = MixedPolicy(base: CountingPolicy(count: count), names: ["price"])
        let machine = Machine(policy: policy, watchesAll: false)
        machine.change { $0.observe(\.power, .battery, at: $1) }
        for id in Int64(1)...50 { machine.apply(.submitted(TransferID(id), Self.traits(id))) }
        machine.apply(.submitted(TransferID(51), Self.traits(51, policy: name)))
        let before = count.verdicts.load(ordering: .relaxed)
        for level in 1...10 { machine.change { $0.observe(\.battery, BatteryState(level: level), at: $1) } }
        // A name that the catalog does not know leaves the transfer to the base policy.
        let own = name == "price" ? 0 : 10
        #expect((own...own + 10).contains(count.verdicts.load(ordering: .relaxed) - before))
        #expect(machine.attempts.keys.contains(TransferID(51)) == (name == "price"))
    }

    @Test("Each transfer waits for what its own table requires")
    func tables() {
        let machine = Machine(
            policy: MixedPolicy(base: UnmeteredPolicy(), names: ["strict", "immediate"]), watchesAll: false)
        machine.change {
            $0.observe(\.power, .battery, at: $1)
            $0.observe(\.metered, .yes, at: $1)
        }
        for (id, policy) in [(1, nil), (2, "strict"), (3, "immediate")] as [(Int64, String?)] {
            machine.apply(.submitted(TransferID(id), Self.traits(id, policy: policy)))
        }
        machine.advance(to: .seconds(60))
        #expect(machine.attempts.keys.sorted() == [TransferID(3)])
        machine.change { $0.observe(\.metered, .no, at: $1) }
        machine.advance(to: .seconds(120))
        #expect(machine.attempts.keys.sorted() == [TransferID(1), TransferID(3)])
    }
}
