// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
internal import TransferPolicy

/// What every `TransferStore` must do, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: TransferStoreContract.Check.allCases)
/// func contract(_ check: TransferStoreContract.Check) async throws {
///     try await TransferStoreContract { let disk = Disk(); return { InMemoryTransferStore(disk: disk) } }.run(check)
/// }
/// ```
public struct TransferStoreContract: Sendable {
    /// Opens one more store on a place where stores keep their state.
    public typealias Opener = @Sendable () async throws -> any TransferStore

    /// The single promises.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// Numbers only grow, over stores and restarts.
        case identifiersGrow = "identifiers only grow, across stores and restarts"
        /// Numbers given at the same time differ.
        case identifiersAreUnique = "identifiers given at the same time differ"
        /// Whatever was submitted comes back under the number given.
        case submittedComesBack = "what was submitted comes back equal after a restart, under the numbers given"
        /// Recovery hands over what decides.
        case recoversWhatDecides = "recovery hands over traits and state of all that have not ended, in order"
        /// Single transfers are found.
        case findsByNumber = "transfers are found by their numbers, ended ones redacted, unknown ones left out"
        /// Whatever was inserted comes back equal from another store.
        case insertedComesBack = "what was inserted comes back equal after a restart, in order"
        /// Every kind of change is seen after a restart.
        case changesComeBack = "every kind of change is there after a restart"
        /// Ended transfers are not unfinished.
        case endedIsNotUnfinished = "an ended transfer is not unfinished, and cannot be changed"
        /// One bad change undoes the whole commit.
        case commitIsAllOrNothing = "a commit with one impossible change saves nothing"
        /// Unknown numbers are refused.
        case unknownIsRefused = "a change of an unknown transfer is refused as noSuchTransfer"
        /// The same number twice is refused.
        case duplicateIsRefused = "the same identifier cannot be inserted twice"
        /// Changes within one commit build on one another.
        case changesBuildOnOneAnother = "changes of one commit apply in their order"
        /// Commits at the same time do not get lost.
        case concurrentCommits = "commits at the same time are all kept, and a bad one fails alone"
        /// What was learned is kept.
        case learnedComesBack = "what was learned comes back after a restart: nothing at first, then the last one saved"
        /// What was learned belongs to its commit.
        case learnedIsPartOfItsCommit = "what was learned is saved with its commit or not at all"
        /// An empty commit is nothing.
        case emptyCommit = "an empty commit does nothing"
        /// A closed store throws.
        case closedThrows = "a closed store refuses every call, and closing twice is harmless"

        /// The promise as a sentence.
        public var description: String { rawValue }
    }

    private let makePlace: @Sendable () async throws -> Opener

    /// A contract for the stores that `makePlace` opens: each call of it is a new, empty place for their state.
    public init(_ makePlace: @escaping @Sendable () async throws -> Opener) {
        self.makePlace = makePlace
    }

    /// Runs one check on a new place; throws a `ContractFailure` that says what was wrong.
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
