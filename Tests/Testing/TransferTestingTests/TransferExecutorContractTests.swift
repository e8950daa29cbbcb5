// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("TransferExecutorContract", .timeLimit(.minutes(5)))
struct TransferExecutorContractTests {
    private typealias Check = TransferExecutorContract.Check

    /// The check that each fault breaks, with a part of the complaint.
    private static let broken: [(ExecutorFault, TransferExecutorContract.Check, complaint: String)] = [
        (.reportsAfterEnd, .fetches, "after its end"),
        (.reportsAfterEnd, .continues, "after its end"),
        (.endsTwice, .fetchesSmall, "ends of transfer"),
        (.neverEnds, .fetches, "did not end"),
        (.goesBeyondTheTotal, .fetches, "bytes of a file of"),
        (.goesBack, .fetches, "went back"),
        (.bodyBeforeCheckpoint, .fetches, "before the first checkpoint"),
        (.bodyBeforeCheckpoint, .fetchesSmall, "without a checkpoint"),
        (.tellsTheAnswerLate, .fetches, "first response too late"),
        (.noValidator, .fetches, "without the server's validator"),
        (.forgetsBytes, .stopKeepsBytes, "ended as"),
        (.promisesMoreThanOnDisk, .stopKeepsBytes, "bytes, the file"),
        (.deafToStop, .stopKeepsBytes, "did not end"),
        (.stopsEverything, .needlessStops, "ended another"),
        (.deafToStop, .needlessStops, "did not end"),
        (.beginsAnew, .continues, "after a resume at"),
        (.keepsDiscarded, .discards, "a discarded partial file"),
        (.leavesAttemptsInShutdown, .shutsDown, "when shutdown returned"),
        (.startsAfterShutdown, .shutsDown, "start after shutdown"),
        (.knowsNoSpace, .measures, "returned nil"),
    ]

    @Test("finds every fault", arguments: broken)
    func fault(_ fault: ExecutorFault, _ check: TransferExecutorContract.Check, _ complaint: String) async throws {
        let contract = TransferExecutorContract(timeout: .milliseconds(50)) { FakeHarness(fault: fault) }
        let failure = try #require(await #expect(throws: ContractFailure.self) { try await contract.run(check) })
        #expect(failure.description.contains(complaint), "\(failure)")
    }

    @Test("has a faulty executor for each check, and a check for each fault")
    func covered() {
        #expect(Set(Self.broken.map(\.1)) == Set(Check.allCases))
        #expect(Set(Self.broken.map(\.0)) == Set(ExecutorFault.allCases))
    }
}
