// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What UPower says, decoded.
struct UPowerReading: Hashable, Sendable {
    /// Whether a battery is drained.
    var isOnBattery: Bool
    /// The display device: all batteries and supplies taken together; nil where there are none.
    var battery: BatteryState?
}

/// The raw properties, as libupower-glib gives them.
struct UPowerProperties: Hashable, Sendable, Codable {
    /// Nil when no daemon answers: then nothing else here means anything.
    var daemonVersion: String?
    var isOnBattery = false
    var isPresent = false
    var kind: UInt32 = 0
    var state: UInt32 = 0
    var warningLevel: UInt32 = 0
    var percentage: Double = 0

    /// The reading; nil when no daemon answers, since a dead one reads "on AC" and "0 %".
    var decoded: UPowerReading? {
        guard let daemonVersion, !daemonVersion.isEmpty else { return nil }
        // UPower's own word leaves a UPS out: it asks the batteries and plugs behind one only.
        let isOnUPS = battery != nil && kind == Self.ups && charging == .discharging
        return UPowerReading(isOnBattery: isOnBattery || isOnUPS, battery: battery)
    }

    private static let battery: UInt32 = 2
    private static let ups: UInt32 = 3

    private var battery: BatteryState? {
        // The display device of a machine without either is "unknown" and not present.
        guard isPresent, kind == Self.battery || kind == Self.ups else { return nil }
        return BatteryState(
            level: percentage.isFinite ? Int(min(max(percentage, 0), 100).rounded()) : nil,
            charging: charging, warning: warning)
    }

    private var charging: ChargingState {
        switch state {
        case 1: .charging
        case 2, 3: .discharging  // 3 is "empty"
        case 4: .full
        case 5: .notCharging  // waits to be charged
        case 6: .discharging  // waits to be drained
        default: .unknown
        }
    }

    private var warning: BatteryWarning {
        switch warningLevel {
        case 1, 2: .none  // 2 is "a UPS drains", with no urgency of its own
        case 3: .low
        case 4: .critical
        case 5: .action
        default: .unknown
        }
    }
}
