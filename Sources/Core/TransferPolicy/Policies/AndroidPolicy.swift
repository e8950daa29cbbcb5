// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// What Android's scheduler would rather have, given up one by one as the deadline comes near.
///
/// It would rather be charging, have a battery that is not low, and be on an unmetered network; all three at first, any
/// two of them from half of the time on, any one from 60 % on, none from 70 % on or in the last 15 minutes. A transfer
/// without a deadline is treated as if it had one 72 hours after it was handed over.
///
/// Source: `aosp-mirror/platform_frameworks_base`,
/// `apex/jobscheduler/service/java/com/android/server/job/controllers/FlexibilityController.java` as of Android 15
/// (`DEFAULT_PERCENT_TO_DROP_FLEXIBLE_CONSTRAINTS` 50, 60, 70, 80, `DEFAULT_DEADLINE_PROXIMITY_LIMIT_MS` 15 min,
/// `DEFAULT_FALLBACK_FLEXIBILITY_DEADLINE_MS` 72 h). Differs: the fourth wish there, an idle device, is left out with the
/// fourth percentage, since nobody tells it here; that file has the whole rule switched off unless a device's maker
/// turns it on; and the 3 days after which a wish not seen is not waited for (`UNSEEN_CONSTRAINT_GRACE_PERIOD_MS`) are
/// not done. Low is 15 %, the platform's `config_lowBatteryWarningLevel` (not checked against the source).
public struct AndroidPolicy: Policy, Hashable {
    /// Shares of the time after which one more wish is given up.
    private static let shares = [0.5, 0.6, 0.7]
    private static let proximity: Duration = .seconds(15 * 60)
    private static let fallback: Duration = .seconds(72 * 3600)
    private static let lowLevel = 15

    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule

    /// The rule.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Says whether enough wishes are met.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let stage = stage(of: subject, at: context.now.wall)
        return verdict(atStage: stage.number, for: subject, in: context)
            .and(.run(relyingOn: [], lookAgain: context.look(at: stage.until)))
    }

    /// When each wish is given up.
    private func dates(of subject: PolicySubject) -> [WallTime] {
        let begin = subject.begin
        let end = subject.traits.constraints.deadline?.date ?? begin.advanced(by: Self.fallback)
        let deadline = DeadlineConstraint(end)
        let last = end.advanced(by: .zero - Self.proximity)
        return Self.shares.map { min(deadline.date(atShare: $0, submitted: begin, notBefore: nil), last) }
    }

    static let entry = PolicyCatalog.Entry(
        name: "android", summary: "charging, battery not low, unmetered; one wish less from 50, 60, 70 % of the time on"
    ) { _ in AndroidPolicy() }
}

/// A stage for each number of wishes that were given up.
extension AndroidPolicy: StagedPolicy {
    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { Self.shares.count + 1 }

    /// How many wishes were given up.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        let dates = dates(of: subject)
        return PolicyStage(dates.count { $0 <= now }, until: dates.filter { $0 > now }.min())
    }

    /// Says whether what is left of the wishes is met.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let wishes = [
            PowerConstraint.ac.verdict(under: context.conditions),
            PowerConstraint.acOrBattery(above: Self.lowLevel).verdict(under: context.conditions),
            subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered),
        ]
        let missing = wishes.filter { if case .hold = $0 { true } else { false } }
        // Which of them it stands on depends on which others are met, so it stands on both facts.
        guard stage < wishes.count else { return .run(relyingOn: [], lookAgain: nil) }
        guard missing.count > stage else { return .run(relyingOn: [.power, .network], lookAgain: nil) }
        return missing.reduce(.run(relyingOn: [], lookAgain: nil)) { $0.and($1) }
    }
}
