// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
internal import TransferPolicy

/// The contract of `Alarm`, as checks that any test framework can run.
///
/// ```swift
/// @Test("keeps the contract", arguments: AlarmContract.Check.allCases)
/// func contract(_ check: AlarmContract.Check) async throws {
///     try await AlarmContract {
///         let alarm = ManualAlarm(startingAt: start)
///         return .init(alarm) { alarm.advance(by: $0) }
///     }.run(check)
/// }
/// ```
public struct AlarmContract: Sendable {
    /// A new alarm and the way to let its time pass.
    public struct Subject: Sendable {
        /// The alarm under test.
        public var alarm: any Alarm
        /// Lets at least the given time pass on the alarm's clocks.
        public var pass: @Sendable (Duration) async throws -> Void

        /// Creates a subject.
        ///
        /// - Parameters:
        ///   - alarm: The alarm under test.
        ///   - pass: A closure that lets at least the given time pass on the alarm's clocks.
        public init(_ alarm: any Alarm, pass: @escaping @Sendable (Duration) async throws -> Void) {
            self.alarm = alarm
            self.pass = pass
        }
    }

    /// The individual requirements of the contract.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// The clock advances and never goes back.
        case clockGoesOn = "its clock never goes back, and goes on while time passes"
        /// The boot has a constant name.
        case bootIsNamed = "its boot has a name, the same at every call"
        /// The alarm does not ring if nothing is set.
        case silentWhenUnset = "it does not ring when nothing is set"
        /// The alarm rings once for each instant that is set.
        case ringsOnce = "it rings once at the instant"
        /// The alarm does not ring before the instant.
        case notBefore = "it does not ring before the instant"
        /// A new instant replaces the previous instant.
        case setReplaces = "a new instant takes the place of the one before, earlier or later"
        /// `nil` cancels the instant.
        case nilClears = "nil takes back what was set"
        /// An instant in the past rings at once.
        case pastRingsAtOnce = "an instant that is past rings at once, and once"
        /// The alarm rings each time that an instant is set.
        case ringsAgain = "it rings again when it is set again"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    let unit: Duration
    let patience: Duration
    private let make: @Sendable () async throws -> Subject

    /// Creates a contract for the alarms that `make` creates. `make` is called for each trial of a check.
    ///
    /// - Parameters:
    ///   - unit: The unit of time. A check lets four units pass. The default is 10 milliseconds.
    ///   - patience: The real time after which an expected ring counts as missing. The default is 10 seconds.
    ///   - make: A closure that creates an alarm and the way to let its time pass.
    public init(
        unit: Duration = .milliseconds(10), patience: Duration = .seconds(10),
        _ make: @escaping @Sendable () async throws -> Subject
    ) {
        self.unit = unit
        self.patience = patience
        self.make = make
    }

    /// Runs a check on a new alarm.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        // A machine that stalls at the wrong moment makes a trial inconclusive, not failed.
        for trial in 0..<10 where try await isConclusive(check, try await make(), trial) { return }
        throw ContractFailure("the machine was too slow ten times to see whether \(check)")
    }

    private func isConclusive(_ check: Check, _ subject: Subject, _ trial: Int) async throws -> Bool {
        switch check {
        case .clockGoesOn: try await clockGoesOn(subject)
        case .bootIsNamed: try await bootIsNamed(subject)
        case .silentWhenUnset: try await silentWhenUnset(subject)
        case .ringsOnce: try await ringsOnce(subject)
        case .notBefore: return try await notBefore(subject, trial)
        case .setReplaces: return try await setReplaces(subject)
        case .nilClears: return try await nilClears(subject)
        case .pastRingsAtOnce: try await pastRingsAtOnce(subject)
        case .ringsAgain: try await ringsAgain(subject)
        }
        return true
    }
}
