// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferTesting

@testable import HTTPExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct HTTPExecutorTests {
        @Test(
            "The executor satisfies the contract of its port, over either transport",
            arguments: TransferExecutorContract.Check.allCases, [true, false])
        func contract(_ check: TransferExecutorContract.Check, usesCurl: Bool) async throws {
            try await TransferExecutorContract {
                try ServerHarness { try ExecutorFixture(usesCurl: usesCurl, root: $0).executor }
            }.run(check)
        }
    }
}
