// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The properties of a transfer that a policy may examine.
///
/// ```swift
/// let subject = PolicySubject(traits: traits, bytesTotal: 50_000_000)
/// let verdict = PatiencePolicy().verdict(for: subject, in: context)
/// ```
public struct PolicySubject: Hashable, Sendable {
    /// The transfer's constraints and other fixed properties.
    public var traits: TransferTraits
    /// A Boolean value that indicates whether the transfer is running. Thresholds can differ between starting and
    /// stopping.
    public var isRunning: Bool
    /// The number of bytes already transferred.
    public var bytesDone: Int64
    /// The total size in bytes, as reported by the server or expected by the app, or `nil` if the size is unknown.
    public var bytesTotal: Int64?
    /// The last measured rate, in bytes per second, or `nil` if no rate has been measured.
    public var rate: Int64?
    /// The transfer's state at the start of the current attempt, or `nil` if the transfer is not running.
    public var start: Start?
    /// The estimate of the time that the transfer needs. The engine provides an estimate for each transfer with a
    /// deadline; `nil` otherwise.
    public var estimate: TransferEstimate?

    /// The state of a transfer at the start of an attempt.
    public struct Start: Hashable, Sendable {
        /// The date of the start.
        public var date: WallTime
        /// The number of bytes that had been transferred before the attempt.
        public var bytesDone: Int64
        /// The last rate measured before the attempt, in bytes per second, or `nil` if there was none.
        public var rate: Int64?
        /// The estimated time that the transfer needed at that moment, without a margin, or `nil` without an estimate.
        public var need: Duration?

        /// Creates the state of a transfer at the start of an attempt.
        public init(date: WallTime, bytesDone: Int64, rate: Int64?, need: Duration? = nil) {
            self.date = date
            self.bytesDone = bytesDone
            self.rate = rate
            self.need = need
        }
    }

    /// Creates a subject. By default, the transfer is not running and has no bytes, size, or rate.
    public init(
        traits: TransferTraits, isRunning: Bool = false, bytesDone: Int64 = 0, bytesTotal: Int64? = nil,
        rate: Int64? = nil, start: Start? = nil
    ) {
        self.traits = traits
        self.isRunning = isRunning
        self.bytesDone = bytesDone
        self.bytesTotal = bytesTotal
        self.rate = rate
        self.start = start
    }

    /// The number of bytes still to transfer, or `nil` if the total size is unknown.
    public var bytesRemaining: Int64? {
        bytesTotal.map { max(0, $0.addingSaturating(max(0, bytesDone).negatedSaturating)) }
    }

    /// Returns the verdict of a policy that uses only unmetered networks.
    ///
    /// Two kinds of transfers may always run: transfers from loopback servers, and transfers that allow metered
    /// networks.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the machine.
    ///   - rule: The rule for a link whose price no source reports.
    public func unmeteredVerdict(
        under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule = UnknownMeteredRule()
    ) -> Verdict {
        guard !traits.isLoopback, traits.constraints.metered != .allowed else {
            return .run(relyingOn: [], reevaluateAt: nil)
        }
        return MeteredConstraint.unmetered.verdict(under: conditions, treatingUnknownAs: rule)
    }
}

/// A rule that decides when discretionary work runs.
///
/// A policy is a pure value: equal arguments yield equal verdicts. A policy sees only discretionary work. The
/// transfer's own constraints apply in addition to the policy. A policy that is a short list of requirements is shorter and
/// faster as a ``TablePolicy``.
///
/// ```swift
/// struct NightPolicy: Policy {
///     let night = WindowConstraint(windows: (0..<7).map { .init(start: $0 * 86_400, end: $0 * 86_400 + 6 * 3600) })
///
///     // Permission to run at night on an unmetered network; otherwise, a wait.
///     func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
///         let network = subject.unmeteredVerdict(under: context.conditions)
///         guard case .run = network else { return network }
///         return night.verdict(at: context.now, localTime: context.conditions.localTime)
///     }
/// }
/// ```
public protocol Policy: Sendable {
    /// Returns permission for `subject` to run in `context`, or at least one reason to wait.
    ///
    /// If time alone can change the verdict, the verdict names a re-evaluation after `context.now`.
    func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict
    /// Returns the date from which `subject` no longer needs AC power, for users; `nil` if there is no such date in the
    /// future. The default is `nil`.
    func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook?
}

extension Policy {
    /// Returns `nil`: the policy predicts nothing.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? { nil }
}
