// SPDX-License-Identifier: Apache-2.0

/// What power a transfer needs.
public enum PowerConstraint: Hashable, Sendable, Codable {
    /// Any.
    case any
    /// Mains.
    case ac
    /// Mains, or a battery with more than this charge in percent, 0…100.
    case acOrBattery(above: Int)

    /// Says whether the machine's power is enough. Unknown power is never enough where any is asked for.
    public func verdict(under conditions: Conditions) -> Verdict {
        let neededLevel: Int
        switch self {
        case .any: return .run(relyingOn: [], lookAgain: nil)
        case .ac: neededLevel = 100
        case .acOrBattery(let above): neededLevel = above
        }
        switch conditions.power.value {
        case .ac: return .run(relyingOn: .power, lookAgain: nil)
        case .unknown: return .hold([Hold(.powerUnknown, from: conditions.power)], lookAgain: nil)
        case .battery:
            let level = conditions.battery.value.level
            if case .acOrBattery = self {
                guard let level else {
                    return .hold([Hold(.onBattery(level: nil), from: conditions.power)], lookAgain: nil)
                }
                if level > neededLevel { return .run(relyingOn: .power, lookAgain: nil) }
                // Low matters only since the machine is on battery, however long the level has been what it is.
                let since = [conditions.power.since, conditions.battery.since].max { $0.instant < $1.instant }
                var hold = Hold(.batteryLow(level: level, needed: neededLevel), from: conditions.battery)
                hold.since = since ?? hold.since
                return .hold([hold], lookAgain: nil)
            }
            return .hold([Hold(.onBattery(level: level), from: conditions.power)], lookAgain: nil)
        }
    }
}
