// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel

@testable import TransferPolicy

/// Tests of the policy of commands that run under conditions.
@Suite struct CommandPolicyTests {
    private func words(
        _ policy: CommandPolicy, _ context: PolicyContext, deadline: Int64? = nil, isRunning: Bool = false
    ) -> String {
        var subject = Sample.subject(deadline: deadline, isRunning: isRunning)
        subject.traits.isLoopback = true
        return Sample.words(policy.verdict(for: subject, in: context))
    }

    @Test("Without conditions, a command runs, even without a network")
    func unconditional() {
        let offline = Sample.context(.battery) { $0.conditions.network.value = .none }
        #expect(words(CommandPolicy(), offline) == "run")
        #expect(!CommandPolicy().needsNetwork)
    }

    @Test("Conditions of power need no network, and conditions of the network do")
    func needs() {
        let power = CommandPolicy(conditions: Constraints(power: .ac))
        let offline = Sample.context { $0.conditions.network.value = .none }
        #expect(words(power, offline) == "run")
        #expect(words(power, Sample.context(.battery)) == "onBattery")
        let unmetered = CommandPolicy(conditions: Constraints(metered: .unmetered))
        #expect(words(unmetered, offline) == "noNetwork")
        #expect(words(unmetered, Sample.context(.ac, .yes)) == "metered")
        #expect(words(unmetered, Sample.context(.battery, .no)) == "run")
    }

    @Test("A start relies on the power, so that it waits for stable power")
    func facts() {
        let policy = CommandPolicy(conditions: Constraints(power: .ac))
        #expect(policy.verdict(for: Sample.subject(), in: Sample.context()).facts == .power)
    }

    @Test("The base policy decides in addition, and needs a network although the command has no server")
    func base() {
        let policy = CommandPolicy(base: PatiencePolicy())
        #expect(words(policy, Sample.context(.battery, .yes)).hasPrefix("onBattery,metered"))
        #expect(words(policy, Sample.context()) == "run")
        let offline = Sample.context { $0.conditions.network.value = .none }
        #expect(words(policy, offline).hasPrefix("noNetwork"))
    }

    @Test("The deadline ends every wait of the policy, and is a re-evaluation before")
    func deadline() {
        let policy = CommandPolicy(conditions: Constraints(power: .ac, metered: .unmetered))
        #expect(words(policy, Sample.context(.battery, .yes), deadline: 60) == "onBattery,metered @60.0")
        #expect(words(policy, Sample.context(.battery, .yes, at: 60), deadline: 60) == "run")
        #expect(words(policy, Sample.context(.battery, .yes, at: 90), deadline: 60, isRunning: true) == "run")
    }

    @Test("Permission to use a metered network reaches the base policy")
    func allowed() {
        let policy = CommandPolicy(conditions: Constraints(metered: .allowed), base: PatiencePolicy())
        #expect(words(policy, Sample.context(.ac, .yes)) == "run")
    }
}
