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
        case clockAdvances = "the clock never goes back, and advances while time passes"
        /// The boot has a constant name.
        case bootIsNamed = "the name of the boot is not empty and does not change"
        /// The alarm does not ring if nothing is set.
        case silentWhenUnset = "does not ring if no instant is set"
        /// The alarm rings once for each instant that is set.
        case ringsOnce = "rings once at the instant"
        /// The alarm does not ring before the instant.
        case notBefore = "does not ring before the instant"
        /// A new instant replaces the previous instant.
        case setReplaces = "a new instant replaces the previous instant, whether earlier or later"
        /// `nil` cancels the instant.
        case nilClears = "nil cancels the instant"
        /// An instant in the past rings immediately.
        case pastRingsImmediately = "an instant in the past rings immediately and once"
        /// The alarm rings each time that an instant is set.
        case ringsAgain = "rings again if it is set again"

        /// The requirement as a sentence.
        public var description: String { rawValue }
    }

    let unit: Duration
    let timeout: Duration
    private let make: @Sendable () async throws -> Subject

    /// Creates a contract for the alarms that `make` creates. `make` is called for each attempt at a check.
    ///
    /// - Parameters:
    ///   - unit: The unit of time. A check lets four units pass. The default is 10 milliseconds.
    ///   - timeout: The real time after which an expected ring counts as missing. The default is 10 seconds.
    ///   - make: A closure that creates an alarm and the way to let its time pass.
    public init(
        unit: Duration = .milliseconds(10), timeout: Duration = .seconds(10),
        _ make: @escaping @Sendable () async throws -> Subject
    ) {
        self.unit = unit
        self.timeout = timeout
        self.make = make
    }

    /// Runs a check on a new alarm.
    ///
    /// - Parameter check: The requirement to check.
    /// - Throws: `ContractFailure` with a description of the violation.
    public func run(_ check: Check) async throws {
        // A machine that stalls at the wrong moment makes an attempt inconclusive, not failed.
        for attempt in 0..<10 where try await isConclusive(check, try await make(), attempt) { return }
        throw ContractFailure("inconclusive: the machine was too slow in ten attempts to check '\(check)'")
    }

    private func isConclusive(_ check: Check, _ subject: Subject, _ attempt: Int) async throws -> Bool {
        switch check {
        case .clockAdvances: try await clockAdvances(subject)
        case .bootIsNamed: try await bootIsNamed(subject)
        case .silentWhenUnset: try await silentWhenUnset(subject)
        case .ringsOnce: try await ringsOnce(subject)
        case .notBefore: return try await notBefore(subject, attempt)
        case .setReplaces: return try await setReplaces(subject)
        case .nilClears: return try await nilClears(subject)
        case .pastRingsImmediately: try await pastRingsImmediately(subject)
        case .ringsAgain: try await ringsAgain(subject)
        }
        return true
    }
}
