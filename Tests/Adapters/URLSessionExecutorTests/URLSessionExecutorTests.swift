// SPDX-License-Identifier: Apache-2.0
import ExecutorHarness
import Testing
import TransferTesting

@testable import URLSessionExecutor

extension ExecutorTests {
    @Suite(.serialized, .timeLimit(.minutes(2)))
    struct URLSessionExecutorTests {
        @Test(
            "The executor satisfies the contract of its port, with and without the interposer",
            arguments: TransferExecutorContract.Check.allCases, [true, false])
        func contract(_ check: TransferExecutorContract.Check, usesInterposer: Bool) async throws {
            try await TransferExecutorContract {
                try ServerHarness { try ExecutorFixture(usesInterposer: usesInterposer, root: $0).executor }
            }.run(check)
        }
    }
}
