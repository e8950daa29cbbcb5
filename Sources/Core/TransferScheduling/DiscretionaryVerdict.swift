// SPDX-License-Identifier: Apache-2.0
package import TransferModel
package import TransferPolicy
internal import TransferQueue

/// The verdict on a discretionary transfer without a deadline that is submitted now.
///
/// The verdict tells programs that transfer nothing whether the moment is good for background work. Like a transfer,
/// the verdict waits for stable conditions before it becomes positive, and tolerates the loss of power for a moment
/// afterwards.
///
/// ```swift
/// var verdict = DiscretionaryVerdict(policy: PatiencePolicy(), at: now)
/// let next = verdict.update(conditions, at: now)
/// ```
package struct DiscretionaryVerdict: Sendable {
    /// A Boolean value that indicates whether such a transfer may run.
    package private(set) var isPositive = false
    /// The reasons to wait. Empty while the verdict is positive.
    package private(set) var reasons: [WaitReason] = []
    /// The time from which ``isPositive`` has had its value.
    package private(set) var since: ClockReading
    private var missingSince: [HysteresisFact: Instant] = [:]
    private var evaluator: PolicyEvaluator

    /// Creates a negative verdict, before any conditions are known.
    ///
    /// - Parameters:
    ///   - policy: The policy that decides.
    ///   - now: The current time.
    package init(policy: any Policy, at now: ClockReading) {
        since = now
        evaluator = PolicyEvaluator(
            configuration: SchedulerConfiguration(), policy: policy,
            context: PolicyContext(conditions: Conditions(unknownSince: now), now: now))
    }

    /// Evaluates the conditions, or the same conditions at a later time.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the machine.
    ///   - now: The current time.
    /// - Returns: The moment at which time alone may change the verdict, or `nil` if there is none.
    package mutating func update(_ conditions: Conditions, at now: ClockReading) -> Instant? {
        (evaluator.context.conditions, evaluator.context.now) = (conditions, now)
        let verdict: Verdict
        if isPositive {
            (verdict, missingSince) = evaluator.runningVerdict(
                for: entry(.running(attempt)), missingSince: missingSince)
        } else {
            verdict = evaluator.verdict(for: entry(.waiting(nil)))
        }
        switch verdict {
        case .run(_, let reevaluation):
            set(isPositive: true, [])
            return reevaluation
        case .wait(let reasons, let reevaluation):
            let wasPositive = isPositive
            set(isPositive: false, reasons.map { $0.keepingSince(from: self.reasons) })
            // After the loss of one fact, another fact may have to last before the next start.
            return wasPositive ? update(conditions, at: now) : reevaluation
        }
    }

    private mutating func set(isPositive: Bool, _ reasons: [WaitReason]) {
        if isPositive != self.isPositive {
            since = evaluator.now
            missingSince = [:]
        }
        (self.isPositive, self.reasons) = (isPositive, reasons)
    }

    private func entry(_ phase: TransferPhase) -> TransferEntry {
        TransferEntry(traits: TransferTraits(kind: .discretionary, submitted: evaluator.now.wall), phase: phase)
    }

    private var attempt: TransferPhase.Attempt {
        let now = evaluator.now
        return TransferPhase.Attempt(
            since: now, bytesAtStart: 0, progressMark: 0, rateAtStart: nil, needAtStart: nil, lastReport: now.instant,
            lastNewByte: now.instant)
    }
}
