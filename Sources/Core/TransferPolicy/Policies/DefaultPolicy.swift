// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The shipped rule: on AC and unmetered. Unmetered is hard unless the transfer itself allows metered networks; AC
/// gives way as a deadline comes near, and sooner where AC is not to be expected before it.
///
/// With a deadline, a battery above 50 % is enough to start (40 % to go on) once half of the time is gone, above 20 %
/// once three quarters are, and in the last chance (the time that the remaining bytes need at the rate seen, times
/// 1.5; none while size or rate is unknown) any level is. Past the deadline any power is enough. And AC that this
/// machine has not shown for three days of awake time is not waited for any longer: a desktop that never says "AC", a
/// laptop that nobody plugs in.
///
/// Once every hour of the day was seen, a battery above 20 % is also enough when the deadline comes before the next
/// hour that used to be spent awake, on AC and on a free network, with a margin of nine hours: who waited for AC would
/// wait past the free network that is here now. ``DayHabits`` tells which hours; the time is counted in steps of three
/// hours, and none lies further ahead than a day.
///
/// Derivation: of the bytes that waiting for AC made late on the real days of the lab, nearly all could have moved over
/// a free network on battery before; a search of margin, memory and threshold on half of the devices, judged on the
/// other half, gave these numbers. The lab's README section has the figures.
public struct DefaultPolicy: Policy, Hashable {
    /// What to make of a link whose price nobody knows.
    public var unknownMetered: UnknownMeteredRule
    /// Awake time without AC after which it is not waited for. Default 3 days.
    public var patience: Duration
    /// By how many hours the deadline must lie behind the next hour that promises AC, 0…24. Default 9.
    public var margin: Int
    /// The share of the time to the deadline after which a metered network will do, 0…1; above 1 for never. Default 2.
    public var meteredShare: Double

    /// The rule.
    public init(
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule(), patience: Duration = .seconds(3 * 86_400),
        margin: Int = 9, meteredShare: Double = 2
    ) {
        self.unknownMetered = unknownMetered
        self.patience = patience
        self.margin = min(max(0, margin), 24)
        self.meteredShare = meteredShare
    }

    /// Says whether `subject` may run.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        return patientPowerVerdict(for: subject, in: context)
            .and(price.until(DefaultStages(subject, meteredShare: meteredShare)?.metered, in: context))
    }

    /// Power as the deadline has it, as long as AC can be waited for.
    private func patientPowerVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let mood = mood(in: context)
        guard mood.key != Self.patienceIsOver else { return .run(relyingOn: [], lookAgain: nil) }
        let verdict = powerVerdict(for: subject, in: context, horizon: Self.horizon(of: mood))
        if subject.isRunning, case .run = verdict {
            // Time alone brings the promising hour and the deadline nearer alike, and the step that it has more bears
            // their rounding: only what is learned can stop it.
            return verdict
        }
        var look: Instant?
        if case .hold = verdict { look = mood.untilWithoutDeadline }
        if dependsOnHorizon(subject, in: context) { look = Verdict.earlier(look, mood.until) }
        return verdict.and(.run(relyingOn: [], lookAgain: look))
    }

    /// Whether it matters to a transfer when AC is expected.
    private func dependsOnHorizon(_ subject: PolicySubject, in context: PolicyContext) -> Bool {
        guard let dates = DefaultStages(subject, meteredShare: 2) else { return false }
        let position = dates.position(at: context.now.wall).0
        func verdict(horizon: Int) -> Verdict {
            Self.power(at: position, horizon: horizon, isRunning: subject.isRunning).verdict(under: context.conditions)
        }
        return verdict(horizon: 0) != verdict(horizon: DefaultStages.mostSteps)
    }

    private func powerVerdict(for subject: PolicySubject, in context: PolicyContext, horizon: Int) -> Verdict {
        func verdict(at stage: DefaultStages.Position) -> Verdict {
            Self.power(at: stage, horizon: horizon, isRunning: subject.isRunning).verdict(under: context.conditions)
        }
        guard let dates = DefaultStages(subject, meteredShare: 2) else { return verdict(at: .init()) }
        var (stage, until) = dates.position(at: context.now.wall)
        let present = verdict(at: stage)
        // Stages only give way, so what runs needs no look, and a stage that says the same is not worth one. What waits
        // for power to settle is another matter: a later stage may do without.
        if case .run = present, subject.isRunning || !context.conditions.power.isObservedChange { return present }
        while let date = until {
            (stage, until) = dates.position(at: date)
            if verdict(at: stage) != present {
                return present.and(.run(relyingOn: [], lookAgain: context.look(at: date)))
            }
        }
        return present
    }

    /// The power that a stage asks for: never more than the one before, and to go on a little less than to start.
    ///
    /// - Parameter horizon: steps to the deadline from which on AC is not to be expected before it.
    private static func power(at stage: DefaultStages.Position, horizon: Int, isRunning: Bool) -> PowerConstraint {
        // What began goes on for a step more: its deadline and the promising hour come nearer by turns.
        // What has no deadline, or one further ahead than a day, is never without hope.
        let farthest = min(isRunning ? horizon + 1 : horizon, DefaultStages.mostSteps)
        let isHopeless = horizon > 0 && stage.stepsLeft <= farthest
        switch stage.share {
        case .early: return isHopeless ? .acOrBattery(above: 20) : .ac
        case .half: return .acOrBattery(above: isHopeless ? 20 : isRunning ? 40 : 50)
        case .threeQuarters: return .acOrBattery(above: 20)
        // Past the deadline no power has to settle either.
        case .last: return .any
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "default", summary: "on AC and unmetered; battery will do as a deadline comes near, metered never",
        parameters: [
            .init(
                "patience", "awake time without AC after which it is not waited for", unit: "days", default: 3,
                in: 0...Double.infinity),
            .init(
                "margin", "how far the deadline must lie behind the next hour that promises AC", unit: "h", default: 9,
                in: 0...24, isWhole: true),
            .init(
                "cell", "share of the time to the deadline after which metered will do, above 1 never", default: 2,
                in: 0...2),
        ]
    ) {
        DefaultPolicy(
            patience: Duration(clampingSeconds: $0["patience"] * 86_400), margin: Int($0["margin"]),
            meteredShare: $0["cell"])
    }
}

/// The stages are those of ``DefaultStages``; where metered networks may do, once more with them. The mood is whether AC
/// is not waited for any longer, and from how many steps before a deadline on it is not expected in time.
extension DefaultPolicy: StagedPolicy {
    private static let patienceIsOver: UInt64 = 1

    private static func horizon(of mood: PolicyMood) -> Int { Int(mood.key >> 1) }

    /// How many stages it knows.
    public func stageCount(withDeadline hasDeadline: Bool) -> Int {
        guard hasDeadline else { return 1 }
        return DefaultStages.count * (meteredShare <= 1 ? 2 : 1)
    }

    /// No: stages only give way, and what is expected comes nearer as the deadline does.
    public var namesEndsOfRuns: Bool { false }

    /// How far the time to the deadline is gone.
    public func stage(of subject: PolicySubject, at now: WallTime) -> PolicyStage {
        DefaultStages(subject, meteredShare: meteredShare).map { stage($0, at: now) } ?? PolicyStage()
    }

    /// The same of one that is new, whose last chance is its deadline: no rate was seen.
    public func stage(ofNew traits: TransferTraits, at now: WallTime) -> PolicyStage {
        guard let deadline = traits.constraints.deadline else { return PolicyStage() }
        let dates = DefaultStages(
            deadline, submitted: traits.submitted, notBefore: traits.constraints.notBefore?.date, last: nil,
            meteredShare: meteredShare)
        return stage(dates, at: now)
    }

    @inline(__always)
    private func stage(_ dates: DefaultStages, at now: WallTime) -> PolicyStage {
        let (position, until) = dates.position(at: now)
        guard let metered = dates.metered else { return PolicyStage(position.number, until: until) }
        guard metered > now else { return PolicyStage(DefaultStages.count + position.number, until: until) }
        return PolicyStage(position.number, until: min(metered, until ?? metered))
    }

    /// Says whether price and power are right at a stage.
    public func verdict(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        power(atStage: stage, Expectation(self, in: context)).verdict(under: context.conditions)
            .and(price(atStage: stage, for: subject, in: context))
    }

    /// The same, price and expectation asked for once.
    public func narrow(_ answers: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext) {
        let expectation = Expectation(self, in: context)
        var price: RelevantFacts?
        for stage in answers.indices {
            if stage == 0 || stage == DefaultStages.count {
                price = self.price(atStage: stage, for: subject, in: context).facts
            }
            guard let facts = answers[stage] else { continue }
            guard let price else {
                answers[stage] = nil
                continue
            }
            let power = power(atStage: stage, expectation).facts(under: context.conditions)
            answers[stage] = power.map { facts.union($0).union(price) }
        }
    }

    private func price(atStage stage: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard stage < DefaultStages.count else { return .run(relyingOn: [], lookAgain: nil) }
        return subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    private func power(atStage stage: Int, _ expectation: Expectation) -> PowerConstraint {
        guard expectation.isPatient else { return .any }
        return Self.power(
            at: DefaultStages.Position(number: stage), horizon: expectation.horizon, isRunning: false)
    }

    /// What AC is waited for, as the mood's key tells it.
    private struct Expectation {
        var isPatient: Bool
        var horizon: Int

        init(_ policy: DefaultPolicy, in context: PolicyContext) {
            let mood = policy.mood(in: context)
            isPatient = mood.key != DefaultPolicy.patienceIsOver
            horizon = DefaultPolicy.horizon(of: mood)
        }
    }

    /// Whether AC has been waited for long enough, from when on it is not expected in time, and until when that holds.
    public func mood(in context: PolicyContext) -> PolicyMood {
        // On AC that time is none; off it, what is not waited for need not settle either.
        guard context.conditions.power.value != .ac else { return PolicyMood() }
        let absence = context.awakeTime(without: .ac)
        guard absence < patience else { return PolicyMood(Self.patienceIsOver) }
        var mood = PolicyMood()
        // Asleep, or before anything was observed, that time does not run.
        if context.history.observed?.isAwake == true {
            mood = PolicyMood(until: context.look(at: context.now.instant.advanced(by: patience - absence)))
        }
        guard let (horizon, hours) = horizon(in: context) else { return mood }
        mood.key = UInt64(horizon) << 1
        guard let hours else { return mood }
        let change = DayHabits.start(ofHour: hours, after: context.now.wall)
        mood.until = Verdict.earlier(mood.until, context.look(at: change))
        return mood
    }

    /// Not while the price alone holds it at every stage: AC is waited for in vain then, whatever is expected of it.
    public func moodMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool {
        meteredShare <= 1 || price(atStage: 0, for: subject, in: context).facts != nil
    }

    /// From how many steps before a deadline on AC is not expected in time, and after how many hours that changes; nil
    /// while too little was learned.
    private func horizon(in context: PolicyContext) -> (steps: Int, hours: Int?)? {
        let day = context.history.day
        guard day.isComplete else { return nil }
        guard let away = day.hours(toPromising: true, from: context.now.wall) else {
            return (DefaultStages.mostSteps, nil)
        }
        let step = DefaultStages.hoursPerStep
        let steps = min((away + margin + step - 1) / step, DefaultStages.mostSteps)
        // It comes nearer hour by hour, until it is there.
        guard away > 0 else { return (steps, day.hours(toPromising: false, from: context.now.wall)) }
        return (steps, min(away, (away + margin - 1) % step + 1))
    }
}
