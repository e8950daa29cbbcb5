// SPDX-License-Identifier: Apache-2.0
package import GLibBridge
package import TransferModel

/// What the machine is like, as the bus tells it.
package enum ConditionsFields {
    /// Each fact with its value, source, since when it holds and how sure it is.
    ///
    /// - Parameter isForPerson: whether names of networks and devices are told, which are no app's business.
    package static func fields(of conditions: Conditions, isForPerson: Bool) -> [String: VariantValue] {
        var fields: [String: VariantValue] = [
            "power": fact(conditions.power) { .string($0.rawValue) },
            "powerProfile": fact(conditions.powerProfile) { .string($0.rawValue) },
            "sleep": fact(conditions.sleep) { .string($0.rawValue) },
            "network": fact(conditions.network) { .string($0.rawValue) },
            "linkKind": fact(conditions.linkKind) { .string($0.rawValue) },
            "metered": fact(conditions.metered) { .string($0.rawValue) },
            "roaming": fact(conditions.roaming) { .string($0.rawValue) },
            "battery": battery(conditions.battery),
        ]
        if isForPerson {
            fields["connection"] = fact(conditions.connection) { $0.map(VariantValue.string) }
            fields["interface"] = fact(conditions.interface) { $0.map(VariantValue.string) }
        }
        return fields
    }

    private static func fact<Value>(
        _ fact: Fact<Value>, _ value: (Value) -> VariantValue?
    ) -> VariantValue {
        var entries = origin(of: fact)
        entries["value"] = value(fact.value)
        return .dictionary(entries)
    }

    private static func battery(_ fact: Fact<BatteryState>) -> VariantValue {
        var entries = origin(of: fact)
        entries["level"] = fact.value.level.map { .integer(Int64($0)) }
        entries["charging"] = .string(fact.value.charging.rawValue)
        entries["warning"] = .string(fact.value.warning.rawValue)
        return .dictionary(entries)
    }

    private static func origin<Value>(of fact: Fact<Value>) -> [String: VariantValue] {
        [
            "source": .string(fact.source.displayName), "since": .string(BusDate(fact.since.wall).description),
            "sureness": .string(fact.sureness.rawValue),
        ]
    }
}
