// SPDX-License-Identifier: Apache-2.0

/// What the machine is like, each fact with where it came from; empty before the first look.
package struct ConditionsReport: Hashable, Sendable, Codable {
    package var power: FactReport?
    package var powerProfile: FactReport?
    package var sleep: FactReport?
    package var network: FactReport?
    package var linkKind: FactReport?
    package var metered: FactReport?
    package var roaming: FactReport?
    package var battery: FactReport?
    /// The connection's name; for the person only.
    package var connection: FactReport?
    /// The name of the interface; for the person only.
    package var interface: FactReport?

    /// Nothing known.
    package init() {}

    /// The conditions.
    ///
    /// - Parameter isForPerson: whether names of networks and devices are told, which are no app's business.
    package init(_ conditions: Conditions, isForPerson: Bool) {
        power = FactReport(conditions.power, conditions.power.value.rawValue)
        powerProfile = FactReport(conditions.powerProfile, conditions.powerProfile.value.rawValue)
        sleep = FactReport(conditions.sleep, conditions.sleep.value.rawValue)
        network = FactReport(conditions.network, conditions.network.value.rawValue)
        linkKind = FactReport(conditions.linkKind, conditions.linkKind.value.rawValue)
        metered = FactReport(conditions.metered, conditions.metered.value.rawValue)
        roaming = FactReport(conditions.roaming, conditions.roaming.value.rawValue)
        var battery = FactReport(conditions.battery, nil)
        let state = conditions.battery.value
        (battery.level, battery.charging, battery.warning) = (state.level, state.charging, state.warning)
        self.battery = battery
        guard isForPerson else { return }
        connection = FactReport(conditions.connection, conditions.connection.value)
        interface = FactReport(conditions.interface, conditions.interface.value)
    }
}

/// One fact of the machine.
package struct FactReport: Hashable, Sendable, Codable {
    /// The value as text; nil where nobody knows it, and of the battery.
    package var value: String?
    /// The battery's charge in percent.
    package var level: Int?
    /// What the battery does.
    package var charging: ChargingState?
    /// How urgent the battery's level is.
    package var warning: BatteryWarning?
    /// Who said so, by the name that people know.
    package var source: String?
    /// Since when it holds.
    package var since: WallTime?
    /// How sure it is.
    package var sureness: Sureness?

    /// A fact whose value is told as `value`.
    init<Value>(_ fact: Fact<Value>, _ value: String?) {
        self.value = value
        (source, since, sureness) = (fact.source.displayName, fact.since.wall, fact.sureness)
    }
}
