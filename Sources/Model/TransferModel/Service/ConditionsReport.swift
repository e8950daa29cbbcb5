// SPDX-License-Identifier: Apache-2.0

/// A report on the state of the machine, with the source of each fact. Empty before the first reading.
package struct ConditionsReport: Hashable, Sendable, Codable {
    package var power: FactReport?
    package var powerProfile: FactReport?
    package var sleep: FactReport?
    package var network: FactReport?
    package var linkKind: FactReport?
    package var metered: FactReport?
    package var roaming: FactReport?
    package var battery: FactReport?
    /// The price of energy, for users only; absent without a source of prices.
    package var price: PriceReport?
    /// The conditions that the user has defined, by name, for users only; absent if there are none.
    package var custom: [String: FactReport]?
    /// Whether the daemon keeps the machine awake, for users only; absent unless that is enabled.
    package var stayAwake: FactReport?
    /// The name of the connection, for users only.
    package var connection: FactReport?
    /// The name of the interface, for users only.
    package var interface: FactReport?

    /// Creates an empty report.
    package init() {}

    /// Creates a report on `conditions`.
    ///
    /// - Parameters:
    ///   - conditions: The state of the machine.
    ///   - includesNames: A Boolean value that indicates whether the report includes the names of networks and
    ///     devices, and prices, which apps may not know.
    ///   - now: The date for which the price is reported.
    package init(_ conditions: Conditions, includesNames: Bool, at now: WallTime) {
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
        guard includesNames else { return }
        // Prices differ by region, so they tell where a machine is.
        price = PriceReport(conditions.priceCurve, at: now)
        if !conditions.custom.isEmpty {
            custom = [:]
            for condition in conditions.custom {
                var report = FactReport(condition.fact, condition.fact.value)
                if condition.fact.source == .custom { report.source = condition.origin }
                custom?[condition.name] = report
            }
        }
        connection = FactReport(conditions.connection, conditions.connection.value)
        interface = FactReport(conditions.interface, conditions.interface.value)
    }
}

/// A report on one fact about the machine.
package struct FactReport: Hashable, Sendable, Codable {
    /// The value as text. The value is `nil` if it is unknown, and for the battery.
    package var value: String?
    /// The battery's charge in percent.
    package var level: Int?
    /// The battery's charging state.
    package var charging: ChargingState?
    /// The urgency of the battery's level.
    package var warning: BatteryWarning?
    /// The source of the fact, by the name shown to users.
    package var source: String?
    /// The date from which the value has been true.
    package var since: WallTime?
    /// The confidence in the fact.
    package var confidence: Confidence?

    private enum CodingKeys: String, CodingKey {
        case value, level, charging, warning, source, since
        case confidence = "confidence"
    }

    /// Creates a report on `fact` with `value` as its text.
    package init<Value>(_ fact: Fact<Value>, _ value: String?) {
        self.value = value
        (source, since, confidence) = (fact.source.displayName, fact.since.wall, fact.confidence)
    }
}

/// A report on the price of energy.
package struct PriceReport: Hashable, Sendable, Codable {
    /// The price now, in the unit of the curve, or `nil` if it is unknown.
    package var now: Double?
    /// The date until which the price lasts, or `nil` if it is unknown.
    package var until: WallTime?
    /// The lowest price that is known from now on, or `nil` if none is known.
    package var lowest: Double?
    /// The date from which the lowest price holds, not before now.
    package var lowestFrom: WallTime?
    /// The date from which no price is known, or `nil` if the curve is empty.
    package var knownUntil: WallTime?
    /// The source of the curve, by the name shown to users.
    package var source: String?
    /// The date from which the curve has been the same.
    package var since: WallTime?

    /// Creates a report on a curve, or `nil` if there is no source of prices.
    ///
    /// - Parameters:
    ///   - fact: The curve.
    ///   - now: The date of the report.
    package init?(_ fact: Fact<PriceCurve?>, at now: WallTime) {
        guard let curve = fact.value else { return nil }
        (source, since, knownUntil) = (fact.source.displayName, fact.since.wall, curve.end)
        let coming = curve.segments[curve.index(endingAfter: now)...]
        if let first = coming.first, first.start <= now { (self.now, until) = (first.price, first.end) }
        if let least = coming.min(by: { $0.price < $1.price }) {
            (lowest, lowestFrom) = (least.price, max(least.start, now))
        }
    }
}
