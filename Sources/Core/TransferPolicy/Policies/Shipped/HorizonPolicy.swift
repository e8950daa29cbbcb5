// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// A policy that accepts battery power once the deadline is closer than this machine may be without an unmetered network.
///
/// On AC power and an unmetered network, work runs. On battery, the slack of a transfer decides: the time to the deadline
/// without the time that the remaining bytes need, times 1.5. Work runs if the slack is at most the *horizon*, because a
/// longer wait could miss the present network and find none before the deadline. The horizon is the larger of
/// ``floor`` and ``factor`` times the longest stretch without an unmetered network in ``FreeNetworkHistory``.
///
/// A ``share`` of the time from the submission to the deadline can be reserved for AC power. In this time, battery power is
/// acceptable only if the slack falls to ``margin``.
///
/// A metered network is acceptable if the transfer or the policy allows it, but only during the last hours before the
/// deadline. Afterward, the bytes are late anyway, and do not cost anything more. A transfer that allows metered networks
/// itself keeps the permission after its deadline.
///
/// A transfer without a deadline waits for AC power, until the machine has been awake for three days without it.
///
/// Derivation: one-step look-ahead. An hour of waiting gains the chance of AC power in that hour, and costs the price of
/// lateness times the rate at which stretches begin that are longer than the slack. On recorded days, the rate falls
/// steeply with the length of the stretch and does not depend on the time to the deadline. The horizon is therefore an
/// absolute time and not a share. `transferlab evaluate` chose the numbers; the guide *Comparing policies* has the
/// figures.
///
/// ```swift
/// HorizonPolicy(metered: .seconds(15 * 3600))  // "horizon:metered=15" in the catalog
/// ```
public struct HorizonPolicy: Policy, Hashable {
    /// The least horizon. The default is 42 hours.
    public var floor: Duration
    /// The ratio of the horizon to the longest stretch without an unmetered network. The default is 2.
    public var factor: Double
    /// The slack from which on a metered network is acceptable for every transfer. `nil`, the default, means never.
    public var metered: Duration?
    /// The charge in percent that a battery must exceed until ``lastHours`` before the slack is used up. `nil`, the
    /// default, accepts any charge.
    public var level: Int?
    /// The share of the time from the submission to the deadline in which only AC power will do, 0…1. The default is 0.
    public var share: Double
    /// The awake time without AC power after which work without a deadline stops waiting for it. The default is 3 days.
    public var maximumWait: Duration
    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// The slack from which on a metered network is acceptable for a transfer that allows it itself: 15 hours.
    public static let meteredSlack = Duration.seconds(15 * 3600)
    /// The slack from which on ``level`` no longer applies: 3.5 hours.
    public static let lastHours = Duration.seconds(12_600)
    /// The slack that ends the time reserved by ``share``: 15 minutes.
    public static let margin = Duration.seconds(900)
    /// The factor on the time that the remaining bytes need.
    static let safety = 1.5

    /// Creates a policy from its settings. The properties document their defaults.
    public init(
        floor: Duration = .seconds(42 * 3600), factor: Double = 2, metered: Duration? = nil, level: Int? = nil,
        share: Double = 0, maximumWait: Duration = .seconds(3 * 86_400),
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        self.floor = floor
        self.factor = factor
        self.metered = metered
        self.level = level
        self.share = share
        self.maximumWait = maximumWait
        self.unknownMetered = unknownMetered
    }

    /// Returns the end of the time that is reserved for AC power; `nil` if ``share`` reserves none.
    func reservedUntil(_ deadline: WallTime, submitted: WallTime) -> WallTime? {
        guard share > 0 else { return nil }
        let seconds = Double(submitted.duration(to: deadline).wholeNanoseconds) / 1e9 * share
        return submitted.advanced(by: Duration(clampingSeconds: seconds))
    }

    /// Returns the horizon in whole minutes, rounded up.
    func horizonMinutes(in context: PolicyContext) -> Int64 {
        horizonMinutes(afterAbsence: context.history.freeNetwork.longestNanoseconds)
    }

    private func horizonMinutes(afterAbsence longest: Int64) -> Int64 {
        let learned = Double(longest) / 1e9 * factor
        let seconds = max(Double(floor.wholeNanoseconds) / 1e9, learned.isNaN ? 0 : learned)
        return Int64(min(max(0, (seconds / 60).rounded(.up)), 1e8))
    }

    /// Returns permission to run if the price of the network and the power supply are acceptable; otherwise, a wait.
    public func verdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard let dates = HorizonDates(subject, self, horizonMinutes: horizonMinutes(in: context)) else {
            return undatedVerdict(for: subject, in: context)
        }
        let present = dates.position(at: context.now.wall)
        let verdict = verdict(at: present.bits, for: subject, in: context)
        if case .run = verdict, !mayChange(subject, in: context) { return verdict }
        var until = present.until
        while let date = until {
            let next = dates.position(at: date)
            let later = self.verdict(at: next.bits, for: subject, in: context)
            if later != verdict {
                return verdict.and(.run(relyingOn: [], reevaluateAt: context.reevaluation(at: date)))
            }
            until = next.until
        }
        return verdict
    }

    /// Returns whether time alone may change permission to run: by revoking a metered network at the deadline, or by
    /// ending the debounce of power that a waiting transfer no longer relies on.
    private func mayChange(_ subject: PolicySubject, in context: PolicyContext) -> Bool {
        metered != nil || (!subject.isRunning && context.conditions.power.isObservedChange)
    }

    private func undatedVerdict(for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        let price = subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered)
        let state = stateKey(in: context)
        guard state.key == 0 else { return price }
        let power = PowerConstraint.ac.verdict(under: context.conditions)
        guard case .wait = power else { return power.and(price) }
        return power.and(price).and(.run(relyingOn: [], reevaluateAt: state.untilWithoutDeadline))
    }

    /// Returns the verdict on a transfer with a deadline after the given dates have passed.
    func verdict(at bits: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        powerVerdict(at: bits, in: context).and(priceVerdict(at: bits, for: subject, in: context))
    }

    private func powerVerdict(at bits: Int, in context: PolicyContext) -> Verdict {
        guard bits & HorizonDates.battery != 0 else { return PowerConstraint.ac.verdict(under: context.conditions) }
        if let level, bits & HorizonDates.anyCharge == 0 {
            return PowerConstraint.acOrBattery(above: level).verdict(under: context.conditions)
        }
        // Any known power is acceptable, so no debounce applies to changes between AC power and battery.
        return context.conditions.power.value == .unknown
            ? PowerConstraint.ac.verdict(under: context.conditions) : .run(relyingOn: [], reevaluateAt: nil)
    }

    private func priceVerdict(at bits: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        guard bits & HorizonDates.metered == 0, !subject.traits.isLoopback else {
            return .run(relyingOn: [], reevaluateAt: nil)
        }
        return MeteredConstraint.unmetered.verdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    static let entry = PolicyCatalog.Entry(
        name: "horizon",
        summary: "AC power, or battery once the deadline is closer than the machine may be without unmetered networks",
        parameters: [
            .init(
                "floor", "the least time before the deadline from which battery is accepted", unit: "h", default: 42,
                in: 0...Double.infinity),
            .init("factor", "factor on the longest time without an unmetered network", default: 2, in: 0...1000),
            .init(
                "metered", "time before the deadline from which metered is accepted; 0: never", unit: "h", default: 0,
                in: 0...Double.infinity),
            .init(
                "level", "charge that a battery must exceed until the last 3.5 h; 0: any", unit: "%", default: 0,
                in: 0...100, isWhole: true),
            .init(
                "share", "share of the time to the deadline in which only AC power will do", default: 0, in: 0...1),
            .init(
                "wait", "awake time without AC power after which work without a deadline stops waiting for it",
                unit: "days", default: 3, in: 0...Double.infinity),
        ]
    ) {
        HorizonPolicy(
            floor: Duration(clampingSeconds: $0["floor"] * 3600), factor: $0["factor"],
            metered: $0["metered"] > 0 ? Duration(clampingSeconds: $0["metered"] * 3600) : nil,
            level: $0["level"] > 0 ? Int($0["level"]) : nil, share: $0["share"],
            maximumWait: Duration(clampingSeconds: $0["wait"] * 86_400))
    }
}

/// A relaxation phase for work without a deadline, and one for each set of dates that have passed. The state tells
/// whether the wait for AC power was too long for work without a deadline.
extension HorizonPolicy: PhasedPolicy {
    /// Returns one without a deadline; otherwise, one more than the number of sets of dates.
    public func phaseCount(withDeadline hasDeadline: Bool) -> Int {
        guard hasDeadline else { return 1 }
        return 1 + (level == nil ? HorizonDates.anyCharge : 2 * HorizonDates.anyCharge)
    }

    /// A Boolean value that indicates whether a run on a metered network ends at the deadline.
    public var mayEndRunsByTime: Bool { metered != nil }

    /// Returns `false` on AC power, which every phase accepts, unless a phase accepts metered networks.
    public func estimatesMayStopRuns(in context: PolicyContext) -> Bool {
        metered != nil || context.conditions.power.value != .ac
    }

    /// Returns the horizon, because the dates of all phases follow from it.
    public func phaseKey(in context: PolicyContext) -> UInt64 { UInt64(horizonMinutes(in: context)) }

    /// Returns the phase of `subject` on a machine without a history.
    public func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        phase(of: subject, at: now, horizonMinutes: horizonMinutes(afterAbsence: 0))
    }

    /// Returns the phase of `subject`, which depends on the dates that have passed.
    public func phase(of subject: PolicySubject, in context: PolicyContext) -> RelaxationPhase {
        phase(of: subject, at: context.now.wall, horizonMinutes: horizonMinutes(in: context))
    }

    /// Returns the phase of a new transfer.
    public func phase(ofNew traits: TransferTraits, in context: PolicyContext) -> RelaxationPhase {
        guard traits.constraints.deadline != nil else { return RelaxationPhase() }
        return phase(of: PolicySubject(traits: traits, bytesTotal: traits.expectedBytesToReceive), in: context)
    }

    private func phase(of subject: PolicySubject, at now: WallTime, horizonMinutes: Int64) -> RelaxationPhase {
        guard let dates = HorizonDates(subject, self, horizonMinutes: horizonMinutes) else { return RelaxationPhase() }
        let (bits, until) = dates.position(at: now)
        return RelaxationPhase(1 + bits, until: until)
    }

    /// Returns permission to run if the conditions satisfy the requirements of a phase; otherwise, a wait.
    public func verdict(atPhase phase: Int, for subject: PolicySubject, in context: PolicyContext) -> Verdict {
        phase == 0 ? undatedVerdict(for: subject, in: context) : verdict(at: phase - 1, for: subject, in: context)
    }

    /// Returns 1 if the machine has been awake without AC power for too long, and 0 otherwise.
    public func stateKey(in context: PolicyContext) -> PolicyStateKey {
        guard context.conditions.power.value != .ac else { return PolicyStateKey() }
        let absence = context.awakeTime(without: .ac)
        guard absence < maximumWait else { return PolicyStateKey(1) }
        // While the machine sleeps, or before the first observation, the time without AC power does not grow.
        guard context.history.observed?.isAwake == true else { return PolicyStateKey() }
        return PolicyStateKey(
            until: context.reevaluation(at: context.now.instant.advanced(by: maximumWait - absence)))
    }

    /// Returns `false` if `subject` has a deadline, or if the price alone delays it. Only work without a deadline depends
    /// on the state.
    public func stateMatters(to subject: PolicySubject, in context: PolicyContext) -> Bool {
        subject.traits.constraints.deadline == nil
            && subject.unmeteredVerdict(under: context.conditions, treatingUnknownAs: unknownMetered).facts != nil
    }
}

extension HorizonPolicy: OutlookPolicy {
    /// Returns the date from which battery power is acceptable, if `subject` has a deadline and the date is to come.
    public func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        guard let dates = HorizonDates(subject, self, horizonMinutes: horizonMinutes(in: context)),
            dates.batteryFrom > context.now.wall
        else { return nil }
        let basis: PowerOutlook.Basis =
            dates.isReserved ? .reserved : factor > 0 ? .absence(context.history.freeNetwork.longest) : .need
        return PowerOutlook(batteryFrom: dates.batteryFrom, basis: basis)
    }
}
