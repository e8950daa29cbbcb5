// SPDX-License-Identifier: Apache-2.0
public import TransferEngine
internal import TransferPolicy

/// What every `Alarm` must do, as checks that any test framework can run.
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
    /// A new alarm and its time.
    public struct Subject: Sendable {
        /// The alarm that is tried.
        public var alarm: any Alarm
        /// Lets at least that much time pass on the alarm's clocks.
        public var pass: @Sendable (Duration) async throws -> Void

        /// An alarm, and how its time passes.
        public init(_ alarm: any Alarm, pass: @escaping @Sendable (Duration) async throws -> Void) {
            self.alarm = alarm
            self.pass = pass
        }
    }

    /// The single promises.
    public enum Check: String, CaseIterable, Sendable, CustomStringConvertible {
        /// Its clock goes on and never back.
        case clockGoesOn = "its clock never goes back, and goes on while time passes"
        /// The boot is named.
        case bootIsNamed = "its boot has a name, the same at every call"
        /// Nothing set, nothing rings.
        case silentWhenUnset = "it does not ring when nothing is set"
        /// One ring for one instant.
        case ringsOnce = "it rings once at the instant"
        /// No ring before the instant.
        case notBefore = "it does not ring before the instant"
        /// What is set takes the place of what was.
        case setReplaces = "a new instant takes the place of the one before, earlier or later"
        /// Nil takes back.
        case nilClears = "nil takes back what was set"
        /// The past is due.
        case pastRingsAtOnce = "an instant that is past rings at once, and once"
        /// One ring for each time it is set.
        case ringsAgain = "it rings again when it is set again"

        /// The promise as a sentence.
        public var description: String { rawValue }
    }

    let unit: Duration
    let patience: Duration
    private let make: @Sendable () async throws -> Subject

    /// A contract for the alarms that `make` makes, a new one with each call.
    ///
    /// - Parameters:
    ///   - unit: the step of time: a check lets four of them pass.
    ///   - patience: real time after which a ring that is due counts as missing.
    ///   - make: makes an alarm, and says how its time is passed.
    public init(
        unit: Duration = .milliseconds(10), patience: Duration = .seconds(10),
        _ make: @escaping @Sendable () async throws -> Subject
    ) {
        self.unit = unit
        self.patience = patience
        self.make = make
    }

    /// Runs one check on a new alarm; throws a `ContractFailure` that says what was wrong.
    public func run(_ check: Check) async throws {
        // A machine that stands still at the wrong moment makes a try worthless, not wrong.
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
