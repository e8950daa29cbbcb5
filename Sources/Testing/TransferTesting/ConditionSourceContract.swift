// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// What every `ConditionSource` must do, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: ConditionSourceContract.Check.allCases)
/// func contract(_ check: ConditionSourceContract.Check) async throws {
///     try await ConditionSourceContract { .init(LinuxConditions(now: now), now: now) }.run(check)
/// }
/// ```
public struct ConditionSourceContract: Sendable {
    /// A new source, and what can be done to the machine it tells of.
    public struct Subject: Sendable {
        /// The source that is tried.
        public var source: any ConditionSource
        /// The clocks by which its facts are dated.
        public var now: @Sendable () -> Moment
        /// Makes the source look again at a machine that has not changed; nil where that cannot be done.
        public var lookAgain: (@Sendable () async throws -> Void)?
        /// Changes the machine, and returns what the source is to tell then; nil where that cannot be done.
        public var change: (@Sendable () async throws -> Conditions)?

        /// A source with its surroundings.
        public init(
            _ source: any ConditionSource, now: @escaping @Sendable () -> Moment,
            lookAgain: (@Sendable () async throws -> Void)? = nil,
            change: (@Sendable () async throws -> Conditions)? = nil
        ) {
            self.source = source
            self.now = now
            self.lookAgain = lookAgain
            self.change = change
        }
    }

    /// The single promises.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// The first snapshot is not late.
        case firstInTime = "the first snapshot comes within two seconds"
        /// Facts are dated and say where they are from.
        case factsAreSane = "facts hold since a time that has been, and unknown ones claim no source that said so"
        /// Equal snapshots are told once.
        case nothingIsRepeated = "a snapshot equal to the one before is not told, whatever is said of sleep"
        /// Changes are told.
        case changeIsTold = "a change is told"
        /// Slow consumers see the newest.
        case slowSeesNewest = "who comes late sees the newest snapshot"
        /// Stop ends the stream.
        case stopEnds = "stop ends the stream, and may be repeated, also at the same time"
        /// Stop works before the first consumer.
        case stopBeforeUse = "stop before any snapshot was asked for ends later streams"

        /// The promise as a sentence.
        public var description: String { rawValue }
    }

    let patience: Duration
    private let make: @Sendable () async throws -> Subject

    /// A contract for the sources that `make` makes, a new one with each call.
    ///
    /// - Parameters:
    ///   - patience: real time after which what should have been told counts as missing.
    ///   - make: makes a source, and says how its machine is changed.
    public init(patience: Duration = .seconds(10), _ make: @escaping @Sendable () async throws -> Subject) {
        self.patience = patience
        self.make = make
    }

    /// Runs one check on a new source and stops it; throws a `ContractFailure` that says what was wrong.
    ///
    /// Where the machine cannot be changed, the checks of changes see that nothing is told twice in a row.
    public func run(_ check: Check) async throws {
        let subject = try await make()
        do {
            switch check {
            case .firstInTime: try await firstInTime(subject)
            case .factsAreSane: try await factsAreSane(subject)
            case .nothingIsRepeated: try await nothingIsRepeated(subject)
            case .changeIsTold: try await changeIsTold(subject)
            case .slowSeesNewest: try await slowSeesNewest(subject)
            case .stopEnds: try await stopEnds(subject)
            case .stopBeforeUse: try await stopBeforeUse(subject)
            }
        } catch {
            await subject.source.stop()
            throw error
        }
        await subject.source.stop()
    }
}
