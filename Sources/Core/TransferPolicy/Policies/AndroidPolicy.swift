// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The preferences of Android's scheduler, given up one by one as the deadline approaches.
///
/// The policy prefers three conditions: charging, a battery that is not low, and an unmetered network. At first, a
/// transfer needs all three conditions. From half of its time on, any two are enough. From 60 % on, any one is
/// enough. From 70 % on, and in the last 15 minutes, the transfer needs none.
///
/// A transfer without a deadline gets one: 72 hours after submission, or after its earliest start date if that is
/// later.
///
/// Source: `aosp-mirror/platform_frameworks_base`,
/// `apex/jobscheduler/service/java/com/android/server/job/controllers/FlexibilityController.java` as of Android 15
/// (`DEFAULT_PERCENT_TO_DROP_FLEXIBLE_CONSTRAINTS` 50, 60, 70, 80, `DEFAULT_DEADLINE_PROXIMITY_LIMIT_MS` 15 min,
/// `DEFAULT_FALLBACK_FLEXIBILITY_DEADLINE_MS` 72 h).
///
/// Differences from the source:
/// - The fourth preference, an idle device, and the fourth percentage are left out, because no source reports
///   idleness here.
/// - In the source, the whole rule is off unless the maker of a device turns it on.
/// - The source stops waiting for a condition that it has not seen for 3 days (`UNSEEN_CONSTRAINT_GRACE_PERIOD_MS`).
///   This policy does not.
/// - A battery is low at 15 %, the platform's `config_lowBatteryWarningLevel` (not checked against the source).
///
/// ```swift
/// let policy: any Policy = AndroidPolicy()  // "android" in the catalog
/// ```
public struct AndroidPolicy: Policy, Hashable {
    /// The shares of the time after which one more preference is given up.
    private static let shares = [0.5, 0.6, 0.7]
    private static let proximity: Duration = .seconds(15 * 60)
    private static let fallback: Duration = .seconds(72 * 3600)
    private static let lowLevel = 15

    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates the policy. By default, unknown Ethernet and Wi-Fi links count as unmetered.
    public init(unknownMetered: UnknownMeteredRule = UnknownMeteredRule()) { self.unknownMetered = unknownMetered }

    /// Returns permission to run if enough preferences are met; otherwise, a wait for the missing preferences.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let phase = phase(of: subject, at: context.now.wall)
        return verdict(atPhase: phase.number, for: subject, in: context)
            .and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: phase.until)))
    }

    /// Returns the dates on which the preferences are given up, in order.
    private func dates(of subject: PolicySubject) -> [WallTime] {
        let begin = subject.begin
        let end = subject.traits.constraints.deadline?.date ?? begin.advanced(by: Self.fallback)
        let deadline = DeadlineConstraint(end)
        let last = end.advanced(by: .zero - Self.proximity)
        return Self.shares.map { min(deadline.date(atShare: $0, submitted: begin, notBefore: nil), last) }
    }

    static let entry = PolicyCatalog.Entry(
        name: "android", summary: "charging, battery not low, and unmetered; drops one at 50, 60, and 70 % of the time"
    ) { _ in AndroidPolicy() }
}

/// The relaxation phases: one for each number of preferences given up.
extension AndroidPolicy: PhasedPolicy {
    /// Returns four: the phase is the number of preferences given up, 0…3.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int { Self.shares.count + 1 }

    /// Returns the phase of `subject`: the number of preferences given up by `now`.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        let dates = dates(of: subject)
        return RelaxationPhase(dates.count { $0 <= now }, until: dates.filter { $0 > now }.min())
    }

    /// Returns permission to run if enough preferences are met in a phase; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let preferences = [
            PowerConstraint.ac.verdict(under: context.conditions),
            PowerConstraint.acOrBattery(above: Self.lowLevel).verdict(under: context.conditions),
            subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered),
        ]
        let missing = preferences.filter { if case .wait = $0 { true } else { false } }
        // The required facts depend on the preferences that are met, so the permission relies on both groups of facts.
        guard phase < preferences.count else { return .run(relyingOn: [], reevaluateAt: nil) }
        guard missing.count > phase else { return .run(relyingOn: [.power, .network], reevaluateAt: nil) }
        return missing.reduce(.run(relyingOn: [], reevaluateAt: nil)) { $0.and($1) }
    }
}
