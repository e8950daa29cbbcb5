// SPDX-License-Identifier: Apache-2.0
public import TransferModel

/// The requirements of a policy on the machine, in rows from the strictest to the loosest.
///
/// The rows answer one question: with this much slack left, what must be true of the machine? The power supply and the
/// network have rows of their own. A row begins at a date that follows from the transfer, and ends where the next row begins.
/// A row never begins before the row above it. Verdicts, reasons, re-evaluations, and outlooks follow from the rows.
///
/// ```swift
/// // AC power until half of the time to the deadline has passed, then any known power.
/// PolicyTable(power: [.init(.always, .ac), .init(.share(0.5), .known)])
/// ```
public struct PolicyTable: Hashable, Sendable {
    /// The beginning of a row. Without a deadline, only the first row begins.
    public enum Start: Hashable, Sendable {
        /// The row applies from the submission on. Only the first row begins like this.
        case always
        /// The slack has fallen to a duration. Slack is the time to the deadline without the time that the remaining bytes
        /// need, times 1.5.
        case slack(Duration)
        /// The slack has fallen to `slack`, and a share of the time from the submission to the deadline has passed; or the
        /// slack has fallen to `margin`.
        case reserved(share: Double, slack: Duration, margin: Duration)
        /// A share of the time from the earliest start to the deadline has passed, 0…1.
        case share(Double)
        /// The deadline has passed.
        case deadline
    }

    /// A requirement on the power supply.
    public enum PowerNeed: Hashable, Sendable {
        /// AC power.
        case ac
        /// AC power, or a battery with a charge above this level, in percent.
        case battery(above: Int)
        /// AC power or a battery, whatever its charge.
        case known
        /// Any power supply, including an unknown one.
        case any

        /// Returns whether a battery with a charge in percent will do; `nil` for an unknown charge.
        func accepts(battery level: Int?) -> Bool {
            switch self {
            case .ac: false
            case .battery(let above): level.map { $0 > above } ?? false
            case .known, .any: true
            }
        }
    }

    /// A requirement on the network.
    public enum NetworkNeed: Hashable, Sendable {
        /// A network that does not count bytes.
        case unmetered
        /// Any network.
        case any
    }

    /// A requirement, and the date from which it replaces the requirement of the row above.
    public struct Row<Need: Hashable & Sendable>: Hashable, Sendable {
        /// The beginning of the row.
        public var start: Start
        /// The requirement of the row.
        public var need: Need

        /// Creates a row.
        public init(_ start: Start, _ need: Need) { (self.start, self.need) = (start, need) }
    }

    /// The requirements on the power supply, at least one.
    public var power: [Row<PowerNeed>]
    /// The requirements on the network, at least one.
    public var network: [Row<NetworkNeed>]
    /// The awake time without AC power after which the table requires nothing of the power supply; `nil` for never.
    public var longestWait: Duration?
    /// The reason for the slack of the row that accepts battery power, for users.
    public var basis: PowerOutlook.Basis

    /// The rule for a link whose price no source reports.
    public var unknownMetered: UnknownMeteredRule

    /// Creates a table. By default, it requires nothing, and unknown Ethernet and Wi-Fi links count as unmetered.
    public init(
        power: [Row<PowerNeed>] = [.init(.always, .any)], network: [Row<NetworkNeed>] = [.init(.always, .any)],
        longestWait: Duration? = nil, basis: PowerOutlook.Basis = .need,
        unknownMetered: UnknownMeteredRule = UnknownMeteredRule()
    ) {
        (self.power, self.network, self.longestWait, self.basis) = (power, network, longestWait, basis)
        self.unknownMetered = unknownMetered
    }

    // MARK: Phases

    /// The number of combinations of a row for the power supply and a row for the network.
    package var phaseCount: Int { power.count * network.count }

    /// A Boolean value that indicates whether a later row for the network requires more than an earlier one, so that time
    /// alone may end a run.
    package var endsRuns: Bool {
        zip(network, network.dropFirst()).contains { $0.need == .any && $1.need == .unmetered }
    }

    /// Returns the rows that apply to a transfer at a date.
    package func phase(of subject: PolicySubject, at now: WallTime) -> RelaxationPhase {
        phaseCount == 1 ? RelaxationPhase() : phase(RowDates(subject), at: now)
    }

    private func phase(_ dates: RowDates?, at now: WallTime) -> RelaxationPhase {
        guard let dates else { return RelaxationPhase() }
        let (power, network) = (dates.position(in: power, at: now), dates.position(in: network, at: now))
        return RelaxationPhase(
            power.number * self.network.count + network.number,
            until: [power.until, network.until].compactMap(\.self).min())
    }

    // MARK: Verdicts

    /// Returns the verdict on a transfer, with the next date at which time alone changes it.
    func verdict(
        for subject: PolicySubject, in context: PolicyContext
    ) -> Verdict {
        let dates = phaseCount == 1 ? nil : RowDates(subject)
        let present = phase(dates, at: context.now.wall)
        func verdict(_ phase: RelaxationPhase) -> Verdict {
            self.verdict(atPhase: phase.number, for: subject.traits, in: context)
        }
        var result = verdict(present)
        let first = result
        // Rows only require less, unless one ends. Permission then changes at most by what it relies on: a row without a
        // requirement also ends the wait for stable power.
        if first.facts == nil || endsRuns || (!subject.isRunning && context.conditions.power.isObservedChange) {
            var until = present.until
            while let date = until {
                let next = phase(dates, at: date)
                if verdict(next) != first {
                    result = result.and(.run(reevaluateAt: context.reevaluation(at: date)))
                    break
                }
                until = next.until
            }
        }
        guard let longestWait, powerVerdict(power[present.number / network.count].need, in: context).facts == nil
        else { return result }
        return result.and(.run(reevaluateAt: context.end(ofWait: longestWait)))
    }

    /// Returns the verdict of the rows of a phase.
    func verdict(
        atPhase phase: Int, for traits: TransferTraits, in context: PolicyContext
    ) -> Verdict {
        powerVerdict(power[phase / network.count].need, in: context)
            .and(networkVerdict(network[phase % network.count].need, for: traits, in: context))
    }

    /// Returns, for each phase, the facts that permission to run relies on, or `nil` for a wait.
    package func permissions(
        for traits: TransferTraits, in context: PolicyContext
    ) -> [RelevantFacts?] {
        let network = network.map { networkVerdict($0.need, for: traits, in: context).facts }
        return power.flatMap { row in
            let power = powerVerdict(row.need, in: context).facts
            return network.map { network in power.flatMap { power in network.map { power.union($0) } } }
        }
    }

    private func powerVerdict(_ need: PowerNeed, in context: PolicyContext) -> Verdict {
        let conditions = context.conditions
        if let longestWait, context.hasWaited(longestWait) { return .run() }
        switch need {
        case .battery(let level): return PowerConstraint.acOrBattery(above: level).verdict(under: conditions)
        // Any known power is acceptable, so no debounce applies to changes between AC power and battery.
        case .known where conditions.power.value != .unknown: return .run()
        case .ac, .known: return PowerConstraint.ac.verdict(under: conditions)
        case .any: return .run()
        }
    }

    private func networkVerdict(
        _ need: NetworkNeed, for traits: TransferTraits, in context: PolicyContext
    ) -> Verdict {
        guard need == .unmetered, !traits.isLoopback else { return .run() }
        return MeteredConstraint.unmetered.verdict(under: context.conditions, treatingUnknownAs: unknownMetered)
    }

    /// Returns the date from which the battery is acceptable with its present charge, if that is to come.
    func outlook(for subject: PolicySubject, in context: PolicyContext) -> PowerOutlook? {
        let level = context.conditions.battery.value.level
        guard let dates = RowDates(subject), let number = power.firstIndex(where: { $0.need.accepts(battery: level) }),
            let date = power[..<power.index(after: number)].dropFirst().map({ dates.date(of: $0.start) }).max(),
            date > context.now.wall
        else { return nil }
        return PowerOutlook(batteryFrom: date, basis: dates.isReserved(date, power[number].start) ? .reserved : basis)
    }
}

/// The rows that apply to a transfer at a date, as one number.
package struct RelaxationPhase: Hashable, Sendable {
    /// The number of the phase, from 0 to one less than ``PolicyTable/phaseCount``.
    package var number: Int
    /// The start of the next phase, or `nil` if this phase is the last.
    package var until: WallTime?

    /// Creates a phase. By default, the phase is the first and the last.
    package init(_ number: Int = 0, until: WallTime? = nil) { (self.number, self.until) = (number, until) }
}

/// A prediction for users: the date from which a waiting transfer no longer needs AC power, with the reason.
public struct PowerOutlook: Hashable, Sendable {
    /// The reason for the date.
    public enum Basis: Hashable, Sendable {
        /// Until then, the time to the deadline is reserved for AC power.
        case reserved
        /// The longest time that this machine has recently been without an unmetered network; zero if unknown.
        case absence(Duration)
        /// The time that the transfer needs.
        case need
    }

    /// The date from which battery power is acceptable.
    public var batteryFrom: WallTime
    /// The reason for the date.
    public var basis: Basis

    /// Creates an outlook.
    public init(batteryFrom: WallTime, basis: Basis) { (self.batteryFrom, self.basis) = (batteryFrom, basis) }
}
