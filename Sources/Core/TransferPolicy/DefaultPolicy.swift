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
        // On AC that time is none; off it, what is not waited for need not settle either.
        let absence = context.awakeTime(without: .ac)
        guard context.conditions.power.value == .ac || absence < patience else {
            return .run(relyingOn: [], lookAgain: nil)
        }
        let verdict = powerVerdict(for: subject, in: context)
        guard case .hold = verdict else { return verdict }
        let rest = patience - absence
        // Asleep, or before anything was observed, that time does not run.
        guard context.history.observed?.isAwake == true else { return verdict }
        let end = context.look(at: context.now.instant.advanced(by: rest))
        return verdict.and(.run(relyingOn: [], lookAgain: end))
    }

    private func powerVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let (conditions, now) = (context.conditions, context.now)
        let constraints = subject.traits.constraints
        guard let deadline = constraints.deadline else { return PowerConstraint.ac.verdict(under: conditions) }
        let submitted = subject.traits.submitted
        let notBefore = constraints.notBefore?.date
        func dateAt(_ share: Double) -> WallTime {
            deadline.date(atShare: share, submitted: submitted, notBefore: notBefore)
        }
        // Each step is asked for by its date: elapsed shares as floating point could fall short at the very moment.
        var steps: [(from: WallTime, needed: PowerConstraint)] = [
            (dateAt(0.5), .acOrBattery(above: subject.isRunning ? 40 : 50)),
            (dateAt(0.75), .acOrBattery(above: 20)),
            (deadline.date, .any),
        ]
        if let lastChance = subject.latestStart(before: deadline.date, safety: 1.5) { steps.append((lastChance, .any)) }
        let reached = steps.filter { $0.from <= now.wall }.map { $0.needed.verdict(under: conditions) }
        let verdicts = [PowerConstraint.ac.verdict(under: conditions)] + reached
        // The most lenient step that is reached counts; a hold says what the latest step misses.
        // Of two that allow it the later relies on less: past the deadline no power has to settle.
        let best = verdicts.last { if case .run = $0 { true } else { false } } ?? verdicts[verdicts.count - 1]
        // Steps only give way, so what runs needs no look, and a step that says the same is not worth one. What waits
        // for power to settle is another matter: a later step may do without.
        if case .run = best, subject.isRunning || !conditions.power.isObservedChange { return best }
        let next = steps.filter { $0.from > now.wall && $0.needed.verdict(under: conditions) != best }.map(\.from).min()
        return best.and(.run(relyingOn: [], lookAgain: context.look(at: next)))
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
