// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("ManualConditionSource", .timeLimit(.minutes(5)))
struct ManualConditionSourceTests {
    @Test("keeps the contract of its port", arguments: ConditionSourceContract.Check.allCases)
    func contract(_ check: ConditionSourceContract.Check) async throws {
        let contract = ConditionSourceContract {
            let machine = SampleMachine()
            let source = ManualConditionSource(machine.conditions)
            return .init(
                source, now: { machine.now }, readAgain: { source.send(machine.conditions) },
                change: {
                    source.send(machine.change())
                    return machine.conditions
                })
        }
        try await contract.run(check)
    }
}
