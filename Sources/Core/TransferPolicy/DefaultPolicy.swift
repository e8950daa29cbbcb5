// SPDX-License-Identifier: Apache-2.0

/// The shipped rule: on AC and unmetered. Unmetered is hard unless the transfer itself allows metered networks; AC
/// gives way as a deadline comes near.
///
/// With a deadline, a battery above 50 % is enough to start (40 % to go on) once half of the time is gone, above 20 %
/// once three quarters are, and in the last chance (the time that the remaining bytes need at the rate seen, times
/// 1.5; none while size or rate is unknown) any level is. Past the deadline any power is enough. And AC that this
/// machine has not shown for three days of awake time is not waited for any longer: a desktop that never says "AC", a
/// laptop that nobody plugs in.
public struct DefaultPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule
    /// Awake time without AC after which it is not waited for. Default 3 days.
    public var patience: Duration

    /// The rule.
    public init(
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule(), patience: Duration = .seconds(3 * 86_400)
    ) {
        self.unknownMetered = unknownMetered
        self.patience = patience
    }

    /// Says whether `subject` may run.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        patientPowerVerdict(for: subject, in: context)
            .and(subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered))
    }

    /// Power as the deadline has it, as long as AC can be waited for.
    private func patientPowerVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let mood = mood(in: context)
        guard mood != Self.patienceIsOver else { return .run(relyingOn: [], lookAgain: nil) }
        let verdict = powerVerdict(for: subject, in: context)
        guard case .hold = verdict else { return verdict }
        return verdict.and(.run(relyingOn: [], lookAgain: mood.until))
    }

    private func powerVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        func verdict(atStage stage: Int) -> Verdict {
            Self.power(atStage: stage, isRunning: subject.isRunning).verdict(under: context.conditions)
        }
        let stage = stage(of: subject, at: context.now.wall).number
        let present = verdict(atStage: stage)
        // Stages only give way, so what runs needs no look, and a stage that says the same is not worth one. What waits
        // for power to settle is another matter: a later stage may do without.
        if case .run = present, subject.isRunning || !context.conditions.power.isObservedChange { return present }
        guard let dates = StageDates(subject), stage < 3 else { return present }
        let later = [dates.half, dates.threeQuarters, dates.last].enumerated().dropFirst(stage)
        let next = later.filter { verdict(atStage: $0.offset + 1) != present }.map(\.element).min()
        return present.and(.run(relyingOn: [], lookAgain: context.look(at: next)))
    }

    /// The power that a stage asks for: never more than the one before, and to go on a little less than to start.
    private static func power(atStage stage: Int, isRunning: Bool) -> PowerConstraint {
        switch stage {
        case ...0: .ac
        case 1: .acOrBattery(above: isRunning ? 40 : 50)
        case 2: .acOrBattery(above: 20)
        // Past the deadline no power has to settle either.
        default: .any
        }
    }

    /// When the stages after the first begin.
    private struct StageDates {
        var half: WallTime
        var threeQuarters: WallTime
        /// The last chance or the deadline. May come before the others.
        var last: WallTime

        /// Nil without a deadline.
        init?(_ subject: PolicySubject) {
            let (constraints, submitted) = (subject.traits.constraints, subject.traits.submitted)
            guard let deadline = constraints.deadline else { return nil }
            let notBefore = constraints.notBefore?.date
            // Asked for by date: elapsed shares as floating point could fall short at the very moment.
            half = deadline.date(atShare: 0.5, submitted: submitted, notBefore: notBefore)
            threeQuarters = deadline.date(atShare: 0.75, submitted: submitted, notBefore: notBefore)
            last = min(subject.latestStart(before: deadline.date, safety: 1.5) ?? deadline.date, deadline.date)
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "default", summary: "on AC and unmetered; battery will do as a deadline comes near, metered never",
        parameters: [
            .init(
                "patience", "awake time without AC after which it is not waited for", unit: "days", default: 3,
                in: 0...Double.infinity)
        ]
    ) { DefaultPolicy(patience: Duration(clampingSeconds: $0["patience"] * 86_400)) }
}

/// Four stages: before half of the time to the deadline is gone, from half on, from three quarters on, and from the
/// last chance or the deadline on. The mood is whether AC is not waited for any longer.
extension DefaultPolicy: StagedPolicy {
    private static let patienceIsOver = PolicyMood(1)

    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int { hasDeadline ? 4 : 1 }

    /// How far the time to the deadline is gone.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        guard let dates = StageDates(subject) else { return PolicyStage() }
        if dates.last <= now { return PolicyStage(3) }
        if dates.threeQuarters <= now { return PolicyStage(2, until: dates.last) }
        if dates.half <= now { return PolicyStage(1, until: min(dates.threeQuarters, dates.last)) }
        return PolicyStage(0, until: min(dates.half, dates.last))
    }

    /// Says whether price and power are right at a stage.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        guard mood(in: context) != Self.patienceIsOver else { return price }
        return Self.power(atStage: stage, isRunning: false).verdict(under: context.conditions).and(price)
    }

    /// Whether AC has been waited for long enough, and until when it has not.
    public func mood(in context: PolicyContext) -> PolicyMood {
        // On AC that time is none; off it, what is not waited for need not settle either.
        guard context.conditions.power.value != .ac else { return PolicyMood() }
        let absence = context.awakeTime(without: .ac)
        guard absence < patience else { return Self.patienceIsOver }
        // Asleep, or before anything was observed, that time does not run.
        guard context.history.observed?.isAwake == true else { return PolicyMood() }
        return PolicyMood(until: context.look(at: context.now.instant.advanced(by: patience - absence)))
    }
}
