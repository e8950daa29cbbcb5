// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferTesting

@Suite("FakeExecutor", .timeLimit(.minutes(5)))
struct FakeExecutorTests {
    @Test("keeps the contract of its port", arguments: TransferExecutorContract.Check.allCases)
    func contract(_ check: TransferExecutorContract.Check) async throws {
        try await TransferExecutorContract { FakeHarness() }.run(check)
    }
}
