// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The policy `hours`: AC power and an unmetered network, with less power required as a deadline approaches.
///
/// This policy was the default before ``PatiencePolicy``.
///
/// An unmetered network is mandatory unless the transfer itself allows metered networks. AC power becomes optional as
/// a deadline approaches, and earlier if AC power is not expected before the deadline.
///
/// A transfer with a deadline may start on battery in these cases:
/// - From half of its time on, if the charge is above 50 % (40 % to continue).
/// - From three quarters of its time on, if the charge is above 20 %.
/// - In its last chance and after its deadline, with any charge, even if the power supply is unknown.
///
/// The last chance is the time that the remaining bytes need, times 1.5. ``TransferEstimate`` provides the time.
/// Without an estimate, there is no last chance while the size or the rate is unknown.
///
/// The policy stops waiting for AC power after three days of awake time without it. Examples are a desktop that never
/// reports AC power, and a laptop that is never plugged in.
///
/// The policy also learns from ``DayHabits`` once every hour of the day has been observed. A promising hour is one
/// that the machine usually spends awake, on AC power, and on an unmetered network. A charge above 20 % is enough if
/// the deadline comes before the next promising hour plus a margin of nine hours. Waiting for AC power would then
/// miss the unmetered network that is available now. The time is counted in steps of three hours, and steps beyond
/// one day are not distinguished.
///
/// Derivation: on the real days of `transferlab`, waiting for AC power made some bytes late. Nearly all of these
/// bytes could have moved earlier over an unmetered network on battery. A search over margin, memory, and threshold
/// on half of the devices, judged on the other half, yielded these numbers. On further workloads, the policy was worse than
/// ``UnmeteredPolicy``: the lab's guide has the figures.
///
/// ```swift
/// HoursPolicy(margin: 6)  // "hours:margin=6" in the catalog
/// ```
public struct HoursPolicy: Policy, Hashable {
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule
    /// The awake time without AC power after which the policy stops waiting for it. The default is 3 days.
    public var maximumWait: Duration
    /// The hours that must lie between the next promising hour and the deadline, 0…24. The default is 9.
    public var margin: Int
    /// The share of the time to the deadline after which a metered network is acceptable, 0…1. Values above 1 mean
    /// never. The default is 2.
    public var meteredShare: Double

    /// Creates a policy from its settings. The properties document their defaults. The margin is clamped to 0…24.
    public init(
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule(), maximumWait: Duration = .seconds(3 * 86_400),
        margin: Int = 9, meteredShare: Double = 2
    ) {
        self.unknownMetered = unknownMetered
        self.maximumWait = maximumWait
        self.margin = min(max(0, margin), 24)
        self.meteredShare = meteredShare
    }

    /// Returns permission to run if the network's price and the power supply are acceptable; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        return limitedPowerVerdict(for: subject, in: context)
            .and(price.until(HoursPhases(subject, meteredShare: meteredShare)?.metered, in: context))
    }

    /// Returns the verdict on power: the requirement of the present phase, or none if the wait for AC power was too
    /// long.
    private func limitedPowerVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let stateKey = stateKey(in: context)
        guard stateKey.key != Self.hasStoppedWaiting else { return .run(relyingOn: [], reevaluateAt: nil) }
        let verdict = powerVerdict(for: subject, in: context, horizon: Self.horizon(of: stateKey))
        if subject.isRunning, case .run = verdict {
            // Time alone brings the promising hour and the deadline closer at the same pace. A running transfer's
            // extra step absorbs the rounding of both. Only new observations can stop the transfer.
            return verdict
        }
        var reevaluation: Instant?
        if case .wait = verdict { reevaluation = stateKey.untilWithoutDeadline }
        if dependsOnHorizon(subject, in: context) { reevaluation = Verdict.earlier(reevaluation, stateKey.until) }
        return verdict.and(.run(relyingOn: [], reevaluateAt: reevaluation))
    }

    /// Returns whether the verdict on a transfer depends on the time at which AC power is expected.
    private func dependsOnHorizon(_ subject: PolicySubject, in context: PolicyContext) -> Bool {
        guard let dates = HoursPhases(subject, meteredShare: 2) else { return false }
        let position = dates.position(at: context.now.wall).0
        func verdict(horizon: Int) -> Verdict {
            Self.power(at: position, horizon: horizon, isRunning: subject.isRunning).verdict(under: context.conditions)
        }
        return verdict(horizon: 0) != verdict(horizon: HoursPhases.mostSteps)
    }

    private func powerVerdict(for subject: PolicySubject, in context: PolicyContext, horizon: Int) -> Verdict {
        func verdict(at phase: HoursPhases.Position) -> Verdict {
            Self.power(at: phase, horizon: horizon, isRunning: subject.isRunning).verdict(under: context.conditions)
        }
        guard let dates = HoursPhases(subject, meteredShare: 2) else { return verdict(at: .init()) }
        var (phase, until) = dates.position(at: context.now.wall)
        let present = verdict(at: phase)
        // Later phases only require less. What runs therefore needs no re-evaluation, and a phase with the same
        // verdict is not worth one. A transfer that waits for the power debounce is different: a later phase may skip
        // the debounce.
        if case .run = present, subject.isRunning || !context.conditions.power.isObservedChange { return present }
        while let date = until {
            (phase, until) = dates.position(at: date)
            if verdict(at: phase) != present {
                return present.and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: date)))
            }
        }
        return present
    }

    /// Returns the power that a phase requires: never more than the previous phase, and less to continue than to
    /// start.
    ///
    /// - Parameter horizon: The number of steps to the deadline from which AC power is not expected in time.
    private static func power(at phase: HoursPhases.Position, horizon: Int, isRunning: Bool) -> PowerConstraint {
        // A running transfer gets one more step, because its deadline and the promising hour come closer alternately. A
        // transfer without a deadline, or with a deadline more than a day away, can always hope for AC power.
        let farthest = min(isRunning ? horizon + 1 : horizon, HoursPhases.mostSteps)
        let isHopeless = horizon > 0 && phase.stepsLeft <= farthest
        switch phase.share {
        case .early: return isHopeless ? .acOrBattery(above: 20) : .ac
        case .half: return .acOrBattery(above: isHopeless ? 20 : isRunning ? 40 : 50)
        case .threeQuarters: return .acOrBattery(above: 20)
        // Past the deadline, no power debounce applies either.
        case .last: return .any
        }
    }

    static let entry = PolicyCatalog.Entry(
        name: "hours",
        summary: "AC power, or battery as a deadline approaches, earlier if the usual hours promise no AC power",
        parameters: [
            .init(
                "wait", "awake time without AC power after which the policy stops waiting for it", unit: "days",
                default: 3,
                in: 0...Double.infinity),
            .init(
                "margin", "minimum time from the next hour with likely AC power to the deadline", unit: "h", default: 9,
                in: 0...24, isWhole: true),
            .init(
                "cell", "share of the time to the deadline after which metered is accepted; above 1: never", default: 2,
                in: 0...2),
        ]
    ) {
        HoursPolicy(
            maximumWait: Duration(clampingSeconds: $0["wait"] * 86_400), margin: Int($0["margin"]),
            meteredShare: $0["cell"])
    }
}

/// The relaxation phases of ``HoursPhases``, doubled if metered networks can become acceptable.
///
/// The policy state indicates whether the wait for AC power was too long. The state also contains the number of steps
/// before a deadline from which AC power is not expected in time.
extension HoursPolicy: PhasedPolicy {
    private static let hasStoppedWaiting: UInt64 = 1

    private static func horizon(of stateKey: PolicyStateKey) -> Int { Int(stateKey.key >> 1) }

    /// Returns one without a deadline; otherwise the number of positions, doubled if metered networks can become
    /// acceptable.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int {
        guard hasDeadline else { return 1 }
        return HoursPhases.count * (meteredShare <= 1 ? 2 : 1)
    }

    /// The value is `false`. Later phases only require less, and the expected hour approaches as fast as the deadline
    /// does.
    public var mayEndRunsByTime: Bool { false }

    /// Returns `false` on AC power, which every phase accepts. The price of the network does not depend on estimates.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool { context.conditions.power.value != .ac }

    /// Returns the phase that the elapsed share of the time to the deadline yields.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        HoursPhases(subject, meteredShare: meteredShare).map { phase($0, at: now) } ?? RelaxationPhase()
    }

    /// Returns the phase of a new transfer without an estimate, whose last chance is its deadline.
    public func phase(ofNew traits: TransferTraits, at now: WallTime) -> RelaxationPhase {
        guard let deadline = traits.constraints.deadline else { return RelaxationPhase() }
        let dates = HoursPhases(
            deadline, submitted: traits.submitted, notBefore: traits.constraints.notBefore?.date, last: nil,
            meteredShare: meteredShare)
        return phase(dates, at: now)
    }

    @inline(__always)
    private func phase(_ dates: HoursPhases, at now: WallTime) -> RelaxationPhase {
        let (position, until) = dates.position(at: now)
        guard let metered = dates.metered else { return RelaxationPhase(position.number, until: until) }
        guard metered > now else { return RelaxationPhase(HoursPhases.count + position.number, until: until) }
        return RelaxationPhase(position.number, until: min(metered, until ?? metered))
    }

    /// Returns permission to run if price and power satisfy the requirements of a phase; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        power(atPhase: phase, Expectation(self, in: context)).verdict(under: context.conditions)
            .and(price(atPhase: phase, for: subject, in: context))
    }

    /// Combines `permissions` with the verdicts of all phases, and computes the price and the expectation only once.
    public func narrow(_ permissions: inout [RelevantFacts?], for subject: PolicySubject, in context: PolicyContext) {
        let expectation = Expectation(self, in: context)
        var price: RelevantFacts?
        for phase in permissions.indices {
            if phase == 0 || phase == HoursPhases.count {
                price = self.price(atPhase: phase, for: subject, in: context).facts
            }
            guard let facts = permissions[phase] else { continue }
            guard let price else {
                permissions[phase] = nil
                continue
            }
            let power = power(atPhase: phase, expectation).facts(under: context.conditions)
            permissions[phase] = power.map { facts.union($0).union(price) }
        }
    }

    private func price(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard phase < HoursPhases.count else { return .run(relyingOn: [], reevaluateAt: nil) }
        return subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    private func power(atPhase phase: Int, _ expectation: Expectation) -> PowerConstraint {
        guard expectation.waitsForAC else { return .any }
        return Self.power(
            at: HoursPhases.Position(number: phase), horizon: expectation.horizon, isRunning: false)
    }

    /// The expectation of AC power, decoded from the policy state key.
    private struct Expectation {
        var waitsForAC: Bool
        var horizon: Int

        init(_ policy: HoursPolicy, in context: PolicyContext) {
            let stateKey = policy.stateKey(in: context)
            waitsForAC = stateKey.key != HoursPolicy.hasStoppedWaiting
            horizon = HoursPolicy.horizon(of: stateKey)
        }
    }

    /// Returns the policy state: the end of the wait for AC power, and the step from which AC power is not expected in
    /// time.
    ///
    /// The result includes the moment until which both values are valid.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        // On AC power, the time without it is zero. Otherwise, power that the policy no longer waits for needs no
        // debounce.
        guard context.conditions.power.value != .ac else { return PolicyStateKey() }
        let absence = context.awakeTime(without: .ac)
        guard absence < maximumWait else { return PolicyStateKey(Self.hasStoppedWaiting) }
        var stateKey = PolicyStateKey()
        // While the machine sleeps, or before the first observation, the time without AC power does not grow.
        if context.history.observed?.isAwake == true {
            stateKey = PolicyStateKey(
                until: context.reevaluation(at: context.now.instant.advanced(by: maximumWait - absence)))
        }
        guard let (horizon, hours) = horizon(in: context) else { return stateKey }
        stateKey.key = UInt64(horizon) << 1
        guard let hours else { return stateKey }
        let change = DayHabits.start(ofHour: hours, after: context.now.wall)
        stateKey.until = Verdict.earlier(stateKey.until, context.reevaluation(at: change))
        return stateKey
    }

    /// Returns `false` if the price alone delays `subject` in every phase. The expectation of AC power is then
    /// irrelevant.
    public func stateMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool {
        meteredShare <= 1 || price(atPhase: 0, for: subject, in: context).facts != nil
    }

    /// Returns the number of steps before a deadline from which AC power is not expected in time, and the hours until
    /// that number changes.
    ///
    /// - Returns: `nil` if not every hour of the day has been observed.
    private func horizon(in context: PolicyContext) -> (steps: Int, hours: Int?)? {
        let day = context.history.day
        guard day.isComplete else { return nil }
        guard let away = day.hours(toPromising: true, from: context.now.wall) else {
            return (HoursPhases.mostSteps, nil)
        }
        let step = HoursPhases.hoursPerStep
        let steps = min((away + margin + step - 1) / step, HoursPhases.mostSteps)
        // The promising hour approaches hour by hour until it begins.
        guard away > 0 else { return (steps, day.hours(toPromising: false, from: context.now.wall)) }
        return (steps, min(away, (away + margin - 1) % step + 1))
    }
}
