// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferPolicy

/// The contract of `TransferExecutor`, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: TransferExecutorContract.Check.allCases)
/// func contract(_ check: TransferExecutorContract.Check) async throws {
///     try await TransferExecutorContract { try ServerHarness() }.run(check)
/// }
/// ```
///
/// Every check also verifies the rules for the reports of each attempt. Reports are in order, with exactly one end
/// and nothing after it.
///
/// The time of the first response comes first, then a checkpoint with the validator, then the body. Progress never
/// exceeds the total.
public struct TransferExecutorContract: Sendable {
    /// The individual requirements of the contract.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// A whole file arrives.
        case fetches = "a whole file arrives, and its reports are in order"
        /// Empty and small files arrive.
        case fetchesSmall = "files of zero bytes and one byte arrive"
        /// Stopping keeps the received bytes.
        case stopKeepsBytes = "stop keeps the bytes; the attempt ends as stopped with a durable resume point"
        /// Needless stops have no effect.
        case needlessStops = "a second stop, a late stop, and a stop of an unknown transfer have no effect"
        /// The next attempt continues from the resume point.
        case continues = "the next attempt continues from the resume point, and the file is correct"
        /// Discarding removes the partial file.
        case discards = "discard removes the partial file, and may be repeated"
        /// Shutting down ends every attempt.
        case shutsDown = "shutdown ends every attempt before returning; later attempts end as stopped"
        /// The available space is reported.
        case measures = "availableSpace returns the free space"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    private let timeout: Duration
    private let make: @Sendable () async throws -> any TransferExecutorHarness

    /// Creates a contract for the executors that `make` creates. `make` is called for each check.
    ///
    /// - Parameters:
    ///   - timeout: The real time after which an expected report counts as missing. The default is 30 seconds.
    ///   - make: A closure that creates an executor and a server for it.
    public init(
        timeout: Duration = .seconds(30), _ make: @escaping @Sendable () async throws -> any TransferExecutorHarness
    ) {
        self.timeout = timeout
        self.make = make
    }

    /// Runs a check on a new executor and shuts the executor down.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        let harness = try await make()
        let contractRun = ExecutorContractRun(harness: harness, timeout: timeout)
        do {
            try await perform(check, contractRun)
        } catch {
            await harness.executor.shutdown()
            await harness.close()
            throw error
        }
        await harness.executor.shutdown()
        await harness.close()
        // Verified at the very end, so that late reports are noticed.
        for attempt in contractRun.attempts { try attempt.verifyReports() }
    }

    private func perform(_ check: Check, _ contractRun: ExecutorContractRun) async throws {
        switch check {
        case .fetches: try await contractRun.fetches([3_000_000])
        case .fetchesSmall: try await contractRun.fetches([0, 1])
        case .stopKeepsBytes: try await contractRun.stopKeepsBytes()
        case .needlessStops: try await contractRun.needlessStops()
        case .continues: try await contractRun.continues()
        case .discards: try await contractRun.discards()
        case .shutsDown: try await contractRun.shutsDown()
        case .measures: try await contractRun.measures()
        }
    }
}
