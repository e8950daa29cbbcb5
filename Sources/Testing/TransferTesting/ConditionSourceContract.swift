// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
public import TransferModel

/// The contract of `ConditionSource`, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: ConditionSourceContract.Check.allCases)
/// func contract(_ check: ConditionSourceContract.Check) async throws {
///     try await ConditionSourceContract { .init(LinuxConditions(now: now), now: now) }.run(check)
/// }
/// ```
public struct ConditionSourceContract: Sendable {
    /// A new source and the ways to influence its machine.
    public struct Subject: Sendable {
        /// The source under test.
        public var source: any ConditionSource
        /// Returns the time of the clocks that date the source's facts.
        public var now: @Sendable () -> ClockReading
        /// Makes the source read the unchanged machine again. `nil` if that is not possible.
        public var readAgain: (@Sendable () async throws -> Void)?
        /// Changes the machine and returns the conditions that the source must then report. `nil` if that is not
        /// possible.
        public var change: (@Sendable () async throws -> Conditions)?

        /// Creates a subject.
        ///
        /// - Parameters:
        ///   - source: The source under test.
        ///   - now: A closure that returns the time of the clocks that date the source's facts.
        ///   - readAgain: A closure that makes the source read the unchanged machine again.
        ///   - change: A closure that changes the machine and returns the expected conditions.
        public init(
            _ source: any ConditionSource, now: @escaping @Sendable () -> ClockReading,
            readAgain: (@Sendable () async throws -> Void)? = nil,
            change: (@Sendable () async throws -> Conditions)? = nil
        ) {
            self.source = source
            self.now = now
            self.readAgain = readAgain
            self.change = change
        }
    }

    /// The individual requirements of the contract.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// The first snapshot arrives within two seconds.
        case firstInTime = "the first snapshot arrives within two seconds"
        /// Facts have a plausible date and source.
        case factsAreSane = "facts are dated in the past, and unknown facts name no source"
        /// Equal snapshots are reported once.
        case nothingIsRepeated = "a snapshot that equals the previous one is not reported, even around sleep"
        /// Changes are reported.
        case changeIsReported = "a change is reported"
        /// A slow consumer receives the newest snapshot.
        case slowSeesNewest = "a slow consumer receives the newest snapshot"
        /// `stop` ends the stream and may be repeated.
        case stopEnds = "stop ends the stream, and may be called repeatedly and concurrently"
        /// `stop` works before the first consumer.
        case stopBeforeUse = "a stop before the first stream ends later streams"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    /// The outcome of a check that found no violation.
    public enum Outcome: Hashable, Sendable {
        /// The source keeps the requirement.
        case kept
        /// The requirement was not checked, for this reason.
        case notChecked(String)
    }

    let timeout: Duration
    private let make: @Sendable () async throws -> Subject

    /// Creates a contract for the sources that `make` creates. `make` is called for each check.
    ///
    /// - Parameters:
    ///   - timeout: The real time after which an expected snapshot counts as missing. The default is 10 seconds.
    ///   - make: A closure that creates a source and the ways to change its machine.
    public init(timeout: Duration = .seconds(10), _ make: @escaping @Sendable () async throws -> Subject) {
        self.timeout = timeout
        self.make = make
    }

    /// Runs a check on a new source and stops the source.
    ///
    /// If the machine cannot be changed, the checks of changes are not run.
    ///
    /// - Parameter check: The requirement to check.
    /// - Returns: Whether the requirement was checked.
    /// - Throws: `ContractFailure` with a description of the violation.
    @discardableResult
    public func run(_ check: Check) async throws -> Outcome {
        let subject = try await make()
        if subject.change == nil, check == .changeIsReported || check == .slowSeesNewest {
            await subject.source.stop()
            return .notChecked("the subject has no 'change'")
        }
        do {
            switch check {
            case .firstInTime: try await firstInTime(subject)
            case .factsAreSane: try await factsAreSane(subject)
            case .nothingIsRepeated: try await nothingIsRepeated(subject)
            case .changeIsReported: try await changeIsReported(subject)
            case .slowSeesNewest: try await slowSeesNewest(subject)
            case .stopEnds: try await stopEnds(subject)
            case .stopBeforeUse: try await stopBeforeUse(subject)
            }
        } catch {
            await subject.source.stop()
            throw error
        }
        await subject.source.stop()
        return .kept
    }
}
