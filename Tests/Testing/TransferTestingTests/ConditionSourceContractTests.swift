// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("ConditionSourceContract", .timeLimit(.minutes(5)))
struct ConditionSourceContractTests {
    /// The check that each fault breaks, with a part of the complaint.
    private static let broken: [(ConditionSourceFault, ConditionSourceContract.Check, complaint: String)] = [
        (.tellsNothingAtFirst, .firstInTime, "within two seconds"),
        (.datesFromTheFuture, .factsAreSane, "network holds since"),
        (.datesBeforeTheClock, .factsAreSane, "before the clock began"),
        (.inventsASource, .factsAreSane, "nobody answered"),
        (.claimsAnEarlyChange, .factsAreSane, "very first snapshot"),
        (.repeatsItself, .nothingIsRepeated, "twice in a row"),
        (.missesChanges, .changeIsTold, "was not told"),
        (.keepsTheOldest, .slowSeesNewest, "was not told"),
        (.goesOnAfterStop, .stopEnds, "went on after stop"),
        (.startsAfterStop, .stopEnds, "asked for after stop"),
        (.startsAfterStop, .stopBeforeUse, "asked for after stop"),
    ]

    @Test("finds every fault", arguments: broken)
    func fault(
        _ fault: ConditionSourceFault, _ check: ConditionSourceContract.Check, _ complaint: String
    ) async throws {
        let contract = ConditionSourceContract(patience: .milliseconds(50)) {
            let machine = SampleMachine()
            let source = CrookedConditionSource(machine.conditions, fault: fault)
            return .init(
                source, now: { machine.now }, lookAgain: { source.send(machine.conditions) },
                change: {
                    source.send(machine.change())
                    return machine.conditions
                })
        }
        let failure = try #require(await #expect(throws: ContractFailure.self) { try await contract.run(check) })
        #expect(failure.description.contains(complaint), "\(failure)")
    }

    @Test("has a wrong source for each of its checks, and a check for each fault")
    func covered() {
        #expect(Set(Self.broken.map(\.1)) == Set(ConditionSourceContract.Check.allCases))
        #expect(Set(Self.broken.map(\.0)) == Set(ConditionSourceFault.allCases))
    }
}
