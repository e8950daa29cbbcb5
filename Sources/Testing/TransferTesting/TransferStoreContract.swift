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
        case identifiersGrow = "identifiers only grow, across stores and restarts"
        /// Identifiers that are assigned concurrently differ.
        case identifiersAreUnique = "identifiers given at the same time differ"
        /// A submitted transfer is returned under its identifier.
        case submittedComesBack = "what was submitted comes back equal after a restart, under the numbers given"
        /// Recovery returns the data that scheduling depends on.
        case recoversWhatDecides = "recovery hands over traits and state of all that have not ended, in order"
        /// Single transfers are found by their identifiers.
        case findsByNumber = "transfers are found by their numbers, ended ones redacted, unknown ones left out"
        /// An inserted transfer is returned equal from another store.
        case insertedComesBack = "what was inserted comes back equal after a restart, in order"
        /// Every kind of change survives a restart.
        case changesComeBack = "every kind of change is there after a restart"
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
        case concurrentCommits = "commits at the same time are all kept, and a bad one fails alone"
        /// Statistics are persisted.
        case learnedComesBack = "what was learned comes back after a restart: nothing at first, then the last one saved"
        /// Statistics are part of their commit.
        case learnedIsPartOfItsCommit = "what was learned is saved with its commit or not at all"
        /// An empty commit has no effect.
        case emptyCommit = "an empty commit does nothing"
        /// A closed store throws.
        case closedThrows = "a closed store refuses every call, and closing twice is harmless"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    private let makePlace: @Sendable () async throws -> Opener

    /// Creates a contract for the stores that `makePlace` provides.
    ///
    /// - Parameter makePlace: A closure that returns an opener for a new, empty location.
    public init(_ makePlace: @escaping @Sendable () async throws -> Opener) {
        self.makePlace = makePlace
    }

    /// Runs a check on a new location.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        let open = try await makePlace()
        switch check {
        case .identifiersGrow: try await identifiersGrow(open)
        case .identifiersAreUnique: try await identifiersAreUnique(open)
        case .submittedComesBack: try await submittedComesBack(open)
        case .recoversWhatDecides: try await recoversWhatDecides(open)
        case .findsByNumber: try await findsByNumber(open)
        case .insertedComesBack: try await insertedComesBack(open)
        case .changesComeBack: try await changesComeBack(open)
        case .endedIsNotUnfinished: try await endedIsNotUnfinished(open)
        case .commitIsAllOrNothing: try await commitIsAllOrNothing(open)
        case .unknownIsRefused: try await unknownIsRefused(open)
        case .duplicateIsRefused: try await duplicateIsRefused(open)
        case .changesBuildOnOneAnother: try await changesBuildOnOneAnother(open)
        case .concurrentCommits: try await concurrentCommits(open)
        case .learnedComesBack: try await learnedComesBack(open)
        case .learnedIsPartOfItsCommit: try await learnedIsPartOfItsCommit(open)
        case .emptyCommit: try await emptyCommit(open)
        case .closedThrows: try await closedThrows(open)
        }
    }
}
