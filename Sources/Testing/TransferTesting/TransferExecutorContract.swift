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
        case fetches = "a whole file arrives, and its reports keep their order"
        /// Empty and small files arrive.
        case fetchesSmall = "files of no byte and of one arrive"
        /// Stopping keeps the received bytes.
        case stopKeepsBytes = "stop keeps the bytes and ends as stopped, with a resume point whose bytes are on disk"
        /// Needless stops have no effect.
        case needlessStops = "a second stop, a late one and one of an unknown transfer do nothing"
        /// The next attempt continues from the resume point.
        case continues = "the next attempt continues from the resume point, and the file is right"
        /// Discarding removes the partial file.
        case discards = "discard removes the partial file, and may be repeated"
        /// Shutting down ends every attempt.
        case shutsDown = "shutdown ends every attempt before it returns; later starts end as stopped"
        /// The available space is reported.
        case measures = "availableSpace answers"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    private let patience: Duration
    private let make: @Sendable () async throws -> any TransferExecutorHarness

    /// Creates a contract for the executors that `make` creates. `make` is called for each check.
    ///
    /// - Parameters:
    ///   - patience: The real time after which an expected report counts as missing. The default is 30 seconds.
    ///   - make: A closure that creates an executor and a server for it.
    public init(
        patience: Duration = .seconds(30), _ make: @escaping @Sendable () async throws -> any TransferExecutorHarness
    ) {
        self.patience = patience
        self.make = make
    }

    /// Runs a check on a new executor and shuts the executor down.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        let harness = try await make()
        let trial = ExecutorTrial(harness: harness, patience: patience)
        do {
            try await perform(check, trial)
        } catch {
            await harness.executor.shutdown()
            await harness.close()
            throw error
        }
        await harness.executor.shutdown()
        await harness.close()
        // Verified at the very end, so that late reports are noticed.
        for attempt in trial.attempts { try attempt.verifyReports() }
    }

    private func perform(_ check: Check, _ trial: ExecutorTrial) async throws {
        switch check {
        case .fetches: try await trial.fetches([3_000_000])
        case .fetchesSmall: try await trial.fetches([0, 1])
        case .stopKeepsBytes: try await trial.stopKeepsBytes()
        case .needlessStops: try await trial.needlessStops()
        case .continues: try await trial.continues()
        case .discards: try await trial.discards()
        case .shutsDown: try await trial.shutsDown()
        case .measures: try await trial.measures()
        }
    }
}
