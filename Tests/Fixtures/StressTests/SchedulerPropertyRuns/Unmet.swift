// SPDX-License-Identifier: Apache-2.0
import TransferModel
import TransferPolicy
import TransferScheduling

/// The constraints of a transfer that are not met, computed independently of the scheduler.
struct Unmet: OptionSet, CustomStringConvertible {
    let rawValue: UInt8

    static let power = Unmet(rawValue: 1)
    static let network = Unmet(rawValue: 2)
    static let link = Unmet(rawValue: 4)
    static let metered = Unmet(rawValue: 8)
    static let connection = Unmet(rawValue: 16)
    static let dates = Unmet(rawValue: 32)
    static let awake = Unmet(rawValue: 64)
    static let custom = Unmet(rawValue: 128)
    /// The conditions without a hysteresis.
    static let immediate: Unmet = [.dates, .awake, .custom]

    /// The number of leading conditions that have a hysteresis.
    static let hysteresisCount = 5

    static func hysteresis(of fact: Int, _ configuration: SchedulerConfiguration) -> Duration {
        switch fact {
        case 0: configuration.powerHysteresis
        case 1: configuration.networkHysteresis
        case 2: configuration.linkKindHysteresis
        case 3: configuration.meteredHysteresis
        default: configuration.connectionHysteresis
        }
    }

    /// Returns the latest time since which a condition may have been missing.
    static func lastChange(of fact: Int, in conditions: Conditions) -> Instant {
        let (connection, roaming) = (conditions.connection.since.instant, conditions.roaming.since.instant)
        return switch fact {
        case 0: conditions.power.since.instant
        case 1: conditions.network.since.instant
        case 2: conditions.linkKind.since.instant
        case 3 where conditions.metered.value == .unknown:
            max(conditions.metered.since.instant, conditions.linkKind.since.instant)
        case 3: conditions.metered.since.instant
        default: conditions.roaming.value == .yes ? min(connection, roaming) : connection
        }
    }

    var description: String {
        let names = ["power", "network", "link", "metered", "connection", "dates", "awake", "custom"]
        let missing = names.indices.filter { contains(Unmet(rawValue: 1 << UInt8($0))) }.map { names[$0] }
        return "[\(missing.joined(separator: ", "))] is not as required"
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(
        _ traits: TransferTraits, _ conditions: Conditions, at now: ClockReading, isDefaultPolicy: Bool
    ) {
        var unmet: Unmet = []
        let constraints = traits.constraints
        if conditions.sleep.value != .awake { unmet.insert(.awake) }
        if !Self.hasPower(constraints.power, conditions) { unmet.insert(.power) }
        if let date = constraints.notBefore?.date, now.wall < date { unmet.insert(.dates) }
        if let expires = traits.expires, expires <= now.wall { unmet.insert(.dates) }
        if let window = constraints.window, !Self.isOpen(window, conditions.localTime, at: now.wall) {
            unmet.insert(.dates)
        }
        if let limit = constraints.price?.below {
            let segment = conditions.priceCurve.value?.segments.first { $0.start <= now.wall && now.wall < $0.end }
            if segment.map({ $0.price < limit }) != true { unmet.insert(.dates) }
        }
        for constraint in constraints.custom {
            let value = conditions.custom.first { $0.name == constraint.name }?.fact.value
            if value.map({ constraint.values.contains($0) }) != true { unmet.insert(.custom) }
        }
        if !traits.isLoopback {
            if conditions.network.value == .none || conditions.network.value == .portal {
                unmet.insert(.network)
            } else if case .only(let kinds) = constraints.linkKinds, !kinds.kinds.contains(conditions.linkKind.value) {
                unmet.insert(.link)
            }
            if conditions.network.value != .none {
                let requiresUnmetered =
                    constraints.metered == .unmetered
                    || (isDefaultPolicy && traits.kind == .discretionary && constraints.metered == .unstated)
                if requiresUnmetered, Self.isMetered(conditions) { unmet.insert(.metered) }
                if !Self.mayUse(constraints.connection, conditions) { unmet.insert(.connection) }
            }
        }
        self = unmet
    }

    private static func hasPower(_ constraint: PowerConstraint, _ conditions: Conditions) -> Bool {
        switch constraint {
        case .any: true
        case .ac: conditions.power.value == .ac
        case .acOrBattery(let level):
            conditions.power.value == .ac
                || (conditions.power.value == .battery && conditions.battery.value.level.map { $0 > level } == true)
        }
    }

    static func isMetered(_ conditions: Conditions) -> Bool {
        switch conditions.metered.value {
        case .yes, .guessYes: true
        case .no, .guessNo: false
        case .unknown: conditions.linkKind.value != .ethernet && conditions.linkKind.value != .wifi
        }
    }

    private static func mayUse(_ constraint: ConnectionConstraint, _ conditions: Conditions) -> Bool {
        if !constraint.allowsRoaming, conditions.roaming.value == .yes { return false }
        guard let name = conditions.connection.value else { return constraint.allowed == nil }
        return !constraint.denied.contains(name) && constraint.allowed?.contains(name) != false
    }

    private static func isOpen(_ constraint: WindowConstraint, _ zone: LocalTimeRules, at date: WallTime) -> Bool {
        let offset = zone.changes.last { $0.start <= date }?.offsetSeconds ?? zone.initialOffsetSeconds
        // The first day of the epoch was a Thursday.
        let second = date.secondsSinceEpoch + offset + 3 * 86_400
        return constraint.windows.contains { (second - $0.start) % 604_800 < $0.end - $0.start }
    }

    /// Returns whether the conditions of a transfer have passed their debounce. The policy may
    /// depend on more conditions.
    static func isDebounced(
        _ traits: TransferTraits, _ conditions: Conditions, at now: ClockReading,
        _ configuration: SchedulerConfiguration
    ) -> Bool {
        guard traits.kind == .discretionary else { return true }
        func isStable<Value>(_ fact: Fact<Value>, _ debounce: Duration) -> Bool {
            !fact.isObservedChange || fact.since.instant.duration(to: now.instant) >= debounce
        }
        if traits.constraints.power != .any, !isStable(conditions.power, configuration.powerDebounce) { return false }
        guard !traits.isLoopback else { return true }
        if traits.constraints.connection != .any {
            guard isStable(conditions.connection, configuration.connectionDebounce),
                isStable(conditions.roaming, configuration.connectionDebounce)
            else { return false }
        }
        return isStable(conditions.network, configuration.networkDebounce)
            && isStable(conditions.linkKind, configuration.linkKindDebounce)
            && isStable(conditions.metered, configuration.meteredDebounce)
    }
}
