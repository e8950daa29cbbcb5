// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A transfer as a policy sees it.
public struct PolicySubject: Hashable, Sendable {
    /// What it asks for and is like.
    public var traits: TransferTraits
    /// Whether it runs now: thresholds may differ for starting and stopping.
    public var isRunning: Bool
    /// Bytes already there.
    public var bytesDone: Int64
    /// The size where it is known, from the server or as expected.
    public var bytesTotal: Int64?
    /// The rate seen last, in bytes a second; nil before any was seen.
    public var rate: Int64?
    /// How it stood when it began to run; nil while it does not.
    public var start: Start?

    /// How a transfer stood when an attempt began.
    public struct Start: Hashable, Sendable {
        /// When that was.
        public var date: WallTime
        /// Bytes that were there already.
        public var bytesDone: Int64
        /// The rate seen until then.
        public var rate: Int64?

        /// A start.
        public init(date: WallTime, bytesDone: Int64, rate: Int64?) {
            self.date = date
            self.bytesDone = bytesDone
            self.rate = rate
        }
    }

    /// A subject.
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

    /// Bytes still missing; nil while the size is unknown.
    public var bytesRemaining: Int64? {
        bytesTotal.map { max(0, $0.addingSaturating(max(0, bytesDone).negatedSaturating)) }
    }

    /// What a policy that keeps to free networks says of it: this machine's own servers are always free, and a transfer
    /// that allows metered networks itself is an exception.
    public func unmeteredVerdict(under conditions: Conditions, treatingUnknownAs rule: UnknownMeteredRule) -> Verdict {
        guard !traits.isLoopback, traits.constraints.metered != .allowed else {
            return .run(relyingOn: [], lookAgain: nil)
        }
        return MeteredConstraint.unmetered.verdict(under: conditions, treatingUnknownAs: rule)
    }
}

/// A rule that says when discretionary work runs. A pure value: same question, same answer.
///
/// The transfer's own constraints are asked beside it; a policy never sees work that is not discretionary.
///
/// ```swift
/// struct NightPolicy: Policy {
///     let night = WindowConstraint(windows: (0..<7).map { .init(start: $0 * 86_400, end: $0 * 86_400 + 6 * 3600) })
///
///     func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
///         night.verdict(at: context.now, localTime: context.conditions.localTime)
///     }
/// }
/// ```
public protocol Policy: Sendable {
    /// Says whether `subject` may run in `context`: run, or hold for at least one reason.
    ///
    /// Where time alone can change the answer the verdict names a moment after `context.now` to look again.
    func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict
}
