// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("ConditionSourceContract", .timeLimit(.minutes(5)))
struct ConditionSourceContractTests {
    /// The check that each fault breaks, with a part of the complaint.
    private static let broken: [(ConditionSourceFault, ConditionSourceContract.Check, complaint: String)] = [
        (.reportsNothingAtFirst, .firstInTime, "within two seconds"),
        (.datesFromTheFuture, .factsAreSane, "network is dated"),
        (.datesBeforeTheClock, .factsAreSane, "before the clock began"),
        (.inventsASource, .factsAreSane, "has no source"),
        (.claimsAnEarlyChange, .factsAreSane, "in the first snapshot"),
        (.repeatsItself, .nothingIsRepeated, "twice in a row"),
        (.missesChanges, .changeIsReported, "was not reported"),
        (.keepsTheOldest, .slowSeesNewest, "was not reported"),
        (.goesOnAfterStop, .stopEnds, "did not end after stop"),
        (.startsAfterStop, .stopEnds, "requested after stop"),
        (.startsAfterStop, .stopBeforeUse, "requested after stop"),
    ]

    @Test("finds every fault", arguments: broken)
    func fault(
        _ fault: ConditionSourceFault, _ check: ConditionSourceContract.Check, _ complaint: String
    ) async throws {
        let contract = ConditionSourceContract(timeout: .milliseconds(50)) {
            let machine = SampleMachine()
            let source = FaultyConditionSource(machine.conditions, fault: fault)
            return .init(
                source, now: { machine.now }, readAgain: { source.send(machine.conditions) },
                change: {
                    source.send(machine.change())
                    return machine.conditions
                })
        }
        let failure = try #require(await #expect(throws: ContractFailure.self) { try await contract.run(check) })
        #expect(failure.description.contains(complaint), "\(failure)")
    }

    @Test("says which checks of changes were not run, because the subject cannot change its machine")
    func notChecked() async throws {
        let contract = ConditionSourceContract {
            let machine = SampleMachine()
            return .init(ManualConditionSource(machine.conditions), now: { machine.now })
        }
        var unchecked: [ConditionSourceContract.Check] = []
        for check in ConditionSourceContract.Check.allCases {
            if case .notChecked = try await contract.run(check) { unchecked.append(check) }
        }
        #expect(unchecked == [.changeIsReported, .slowSeesNewest])
    }

    @Test("has a faulty source for each check, and a check for each fault")
    func covered() {
        #expect(Set(Self.broken.map(\.1)) == Set(ConditionSourceContract.Check.allCases))
        #expect(Set(Self.broken.map(\.0)) == Set(ConditionSourceFault.allCases))
    }
}
