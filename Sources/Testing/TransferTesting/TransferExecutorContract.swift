// SPDX-License-Identifier: Apache-2.0
internal import TransferEngine
internal import TransferPolicy

/// What every `TransferExecutor` must do, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: TransferExecutorContract.Check.allCases)
/// func contract(_ check: TransferExecutorContract.Check) async throws {
///     try await TransferExecutorContract { try ServerHarness() }.run(check)
/// }
/// ```
///
/// Whatever is checked, each attempt is held to the rules of reports too: in order, exactly one end, nothing after it,
/// a first checkpoint with the validator before the body and after the time of the first answer, no progress beyond the total.
public struct TransferExecutorContract: Sendable {
    /// The single promises.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// A whole transfer.
        case fetches = "a whole file arrives, and its reports keep their order"
        /// Empty and small files.
        case fetchesSmall = "files of no byte and of one arrive"
        /// Stopping keeps what there is.
        case stopKeepsBytes = "stop keeps the bytes and ends as stopped, with a resume point whose bytes are on disk"
        /// Needless stops.
        case needlessStops = "a second stop, a late one and one of an unknown transfer do nothing"
        /// The next attempt.
        case continues = "the next attempt continues from the resume point, and the file is right"
        /// Discarding.
        case discards = "discard removes the partial file, and may be repeated"
        /// The end of it all.
        case shutsDown = "shutdown ends every attempt before it returns; later starts end as stopped"
        /// Room.
        case measures = "availableSpace answers"

        /// The promise as a sentence.
        public var description: String { rawValue }
    }

    private let patience: Duration
    private let make: @Sendable () async throws -> any TransferExecutorHarness

    /// A contract for the executors that `make` makes, a new one with each call.
    ///
    /// - Parameters:
    ///   - patience: real time after which a report that is due counts as missing.
    ///   - make: makes an executor with a server for it.
    public init(
        patience: Duration = .seconds(30), _ make: @escaping @Sendable () async throws -> any TransferExecutorHarness
    ) {
        self.patience = patience
        self.make = make
    }

    /// Runs one check on a new executor and shuts it down; throws a `ContractFailure` that says what was wrong.
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
        // Last of all: a report that comes late would have come by now.
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
