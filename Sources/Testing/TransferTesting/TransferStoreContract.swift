// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
internal import TransferPolicy

/// The contract of `TransferStore`, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: TransferStoreContract.Check.allCases)
/// func contract(_ check: TransferStoreContract.Check) async throws {
///     try await TransferStoreContract {
///         let disk = InMemoryTransferStore.Disk()
///         return { InMemoryTransferStore(disk: disk) }
///     }.run(check)
/// }
/// ```
public struct TransferStoreContract: Sendable {
    /// Opens another store on a location. Stores on the same location share their state.
    public typealias Opener = @Sendable () async throws -> any TransferStore

    /// The individual requirements of the contract.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// Identifiers only grow, across stores and restarts.
        case identifiersGrow = "identifiers only increase, across stores and restarts"
        /// Identifiers that are assigned concurrently differ.
        case identifiersAreUnique = "identifiers that are assigned concurrently differ"
        /// A submitted transfer is returned under its identifier.
        case submittedIsReturned = "a submitted transfer is unchanged after a restart, under its assigned identifier"
        /// Recovery returns the data that scheduling depends on.
        case recoversSchedulingState = "recovery returns the traits and state of all unfinished transfers, in order"
        /// Single transfers are found by their identifiers.
        case findsByID = "transfers are found by identifier; ended ones are redacted, unknown ones omitted"
        /// An inserted transfer is returned equal from another store.
        case insertedIsReturned = "inserted transfers are unchanged after a restart, in order"
        /// Every kind of change survives a restart.
        case changesPersist = "every kind of change survives a restart"
        /// Ended transfers are not unfinished.
        case endedIsNotUnfinished = "an ended transfer is not unfinished, and cannot be changed"
        /// An impossible change undoes its whole commit.
        case commitIsAllOrNothing = "a commit with one impossible change saves nothing"
        /// Unknown identifiers are refused.
        case unknownIsRefused = "a change of an unknown transfer is refused as noSuchTransfer"
        /// A duplicate identifier is refused.
        case duplicateIsRefused = "the same identifier cannot be inserted twice"
        /// The changes of a commit build on one another.
        case changesBuildOnOneAnother = "changes of one commit apply in their order"
        /// Concurrent commits are not lost.
        case concurrentCommits = "concurrent commits are all saved, and an invalid one fails alone"
        /// Statistics are persisted.
        case statisticsPersist = "statistics survive a restart: none at first, then the last ones saved"
        /// Statistics are part of their commit.
        case statisticsArePartOfTheirCommit = "statistics are saved with their commit or not at all"
        /// An empty commit has no effect.
        case emptyCommit = "an empty commit has no effect"
        /// A closed store throws.
        case closedThrows = "a closed store refuses every call, and closing twice is harmless"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    private let makeOpener: @Sendable () async throws -> Opener

    /// Creates a contract for the stores that `makeOpener` provides.
    ///
    /// - Parameter makeOpener: A closure that returns an opener for a new, empty location.
    public init(_ makeOpener: @escaping @Sendable () async throws -> Opener) {
        self.makeOpener = makeOpener
    }

    /// Runs a check on a new location.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        let open = try await makeOpener()
        switch check {
        case .identifiersGrow: try await identifiersGrow(open)
        case .identifiersAreUnique: try await identifiersAreUnique(open)
        case .submittedIsReturned: try await submittedIsReturned(open)
        case .recoversSchedulingState: try await recoversSchedulingState(open)
        case .findsByID: try await findsByID(open)
        case .insertedIsReturned: try await insertedIsReturned(open)
        case .changesPersist: try await changesPersist(open)
        case .endedIsNotUnfinished: try await endedIsNotUnfinished(open)
        case .commitIsAllOrNothing: try await commitIsAllOrNothing(open)
        case .unknownIsRefused: try await unknownIsRefused(open)
        case .duplicateIsRefused: try await duplicateIsRefused(open)
        case .changesBuildOnOneAnother: try await changesBuildOnOneAnother(open)
        case .concurrentCommits: try await concurrentCommits(open)
        case .statisticsPersist: try await statisticsPersist(open)
        case .statisticsArePartOfTheirCommit: try await statisticsArePartOfTheirCommit(open)
        case .emptyCommit: try await emptyCommit(open)
        case .closedThrows: try await closedThrows(open)
        }
    }
}
