// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that is a table of requirements.
///
/// The engine evaluates a plain ``Policy`` for every waiting transfer on every event, which is fast enough for
/// thousands of transfers. With a table, it evaluates each row once for all transfers with the same constraints, and keeps
/// decisions instant with a million waiting transfers. Verdicts, reasons, re-evaluations, and the outlook follow from the
/// table.
///
/// ```swift
/// /// AC power until a quarter of the time to the deadline has passed, then any power, on unmetered networks.
/// struct QuarterPolicy: TablePolicy {
///     func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable? {
///         PolicyTable(
///             power: [.init(.always, .ac), .init(.share(0.25), .known)], network: [.init(.always, .unmetered)])
///     }
/// }
/// ```
public protocol TablePolicy: Policy {
    /// Returns the table for a transfer.
    ///
    /// Of `traits`, only the constraints other than dates, the presence of a deadline, and the place of the server count.
    /// The history may only change the beginnings of rows, and only together with ``tableKey(after:)``.
    ///
    /// - Returns: `nil` if ``Policy/verdict(for:in:)`` decides about each such transfer; see ``decidesIndividually``.
    func table(for traits: TransferTraits, after history: PolicyHistory) -> PolicyTable?
    /// Returns a number that stands for everything in the history that tables depend on. Another number files all
    /// waiting transfers again. The default is always 0.
    func tableKey(after history: PolicyHistory) -> Int64
    /// The ``PolicyTable/longestWait`` of each table that has one. The default is empty.
    var longestWaits: [Duration] { get }
    /// A Boolean value that indicates whether some transfers have no table. The default is `false`.
    var decidesIndividually: Bool { get }
}

extension TablePolicy {
    /// Returns 0: tables do not depend on the history.
    public func tableKey(after history: PolicyHistory) -> Int64 { 0 }

    /// The default is empty: no table ends the wait for AC power.
    public var longestWaits: [Duration] { [] }

    /// The default is `false`: every transfer has a table.
    public var decidesIndividually: Bool { false }

    /// Returns the verdict of the rows that apply to `subject`.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        table(for: subject.traits, after: context.history)?.verdict(for: subject, in: context) ?? .run()
    }

    /// Returns the date from which the battery will do with its present charge; `nil` if there is no such date in the future.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        table(for: subject.traits, after: context.history)?.outlook(for: subject, in: context)
    }

    /// Returns which of the ``longestWaits`` are over.
    package func stateKey(in context: PolicyContext) -> PolicyStateKey {
        var state = PolicyStateKey()
        for wait in longestWaits {
            state.key = state.key << 1 | (context.hasWaited(wait) ? 1 : 0)
            state.until = Verdict.earlier(state.until, context.end(ofWait: wait))
        }
        return state
    }

    /// Returns whether time alone may end a run, apart from the transfer's window.
    package func mayEndRunsByTime(after history: PolicyHistory) -> Bool {
        decidesIndividually
            || [MeteredConstraint.unstated, .allowed, .unmetered].contains { metered in
                let date = WallTime(secondsSinceEpoch: 0)
                let constraints = Constraints(metered: metered, deadline: DeadlineConstraint(date))
                return table(
                    for: TransferTraits(kind: .discretionary, constraints: constraints, submitted: date), after: history
                )?.endsRuns ?? true
            }
    }
}

/// A state of the machine that influences the verdicts of a table until the state changes.
package struct PolicyStateKey: Hashable, Sendable {
    /// The state. Under equal conditions, states with equal keys yield equal verdicts.
    package var key: UInt64 = 0
    /// The moment at which time alone may change the state, or `nil` if time alone cannot.
    package var until: Instant?

    package init(_ key: UInt64 = 0, until: Instant? = nil) { (self.key, self.until) = (key, until) }
}

extension PolicyContext {
    /// Returns whether the machine has been awake without AC power for too long.
    func hasWaited(_ longestWait: Duration) -> Bool {
        conditions.power.value != .ac && awakeTime(without: .ac) >= longestWait
    }

    /// Returns the moment at which the machine will have been awake without AC power for too long; `nil` if it is, or if the
    /// time does not grow: on AC power, during sleep, and before the first observation.
    func end(ofWait longestWait: Duration) -> Instant? {
        let absence = awakeTime(without: .ac)
        guard conditions.power.value != .ac, absence < longestWait, history.observed?.isAwake == true else {
            return nil
        }
        return reevaluation(at: now.instant.advanced(by: longestWait - absence))
    }
}
