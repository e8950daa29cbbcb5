// SPDX-License-Identifier: Apache-2.0
import ExecutorTrials
import Testing
import TransferTesting

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct URLSessionExecutorTests {
        @Test(
            "keeps the contract of its port, with the repair and without",
            arguments: TransferExecutorContract.Check.allCases, [true, false])
        func contract(_ check: TransferExecutorContract.Check, repaired: Bool) async throws {
            try await TransferExecutorContract {
                try ServerHarness { try Bench(repaired: repaired, root: $0).executor }
            }.run(check)
        }
    }
}
