// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("AlarmContract", .timeLimit(.minutes(5)))
struct AlarmContractTests {
    /// The check that each fault breaks, with a part of the complaint.
    private static let broken: [(AlarmFault, AlarmContract.Check, complaint: String)] = [
        (.clockStands, .clockAdvances, "stayed"),
        (.clockGoesBack, .clockAdvances, "went back"),
        (.bootHasNoName, .bootIsNamed, "no name"),
        (.bootChangesItsName, .bootIsNamed, "then"),
        (.ringsUnasked, .silentWhenUnset, "nothing was set"),
        (.ringsTwice, .ringsOnce, "one instant was set"),
        (.missesThePast, .pastRingsImmediately, "was past"),
        (.ringsTwice, .pastRingsImmediately, "was set once"),
        (.ringsEarly, .notBefore, "had not come"),
        (.keepsTheFirst, .setReplaces, "early instant had replaced"),
        (.keepsAll, .setReplaces, "late instant had replaced"),
        (.deafToNil, .nilClears, "canceled the instant"),
        (.ringsOnlyOnce, .ringsAgain, "set 2 times"),
    ]

    @Test("finds every fault", arguments: broken)
    func fault(_ fault: AlarmFault, _ check: AlarmContract.Check, _ complaint: String) async throws {
        let contract = AlarmContract(timeout: .milliseconds(50)) {
            let alarm = FaultyAlarm(fault: fault)
            return .init(alarm) { alarm.advance(by: $0) }
        }
        let failure = try #require(await #expect(throws: ContractFailure.self) { try await contract.run(check) })
        #expect(failure.description.contains(complaint), "\(failure)")
    }

    @Test("has a faulty alarm for each check, and a check for each fault")
    func covered() {
        #expect(Set(Self.broken.map(\.1)) == Set(AlarmContract.Check.allCases))
        #expect(Set(Self.broken.map(\.0)) == Set(AlarmFault.allCases))
    }
}
