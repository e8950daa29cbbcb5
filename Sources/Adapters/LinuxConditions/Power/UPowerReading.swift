// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The decoded state of UPower.
struct UPowerReading: Hashable, Sendable {
    /// Whether the machine draws its power from a battery.
    var isOnBattery: Bool
    /// The display device, which combines all batteries and supplies; `nil` if there are none.
    var battery: BatteryState?
}

/// UPower's properties, as libupower-glib returns them.
struct UPowerProperties: Hashable, Sendable, Codable {
    /// The version of the daemon; `nil` if no daemon replies. All other values are then meaningless.
    var daemonVersion: String?
    var isOnBattery = false
    var isPresent = false
    var kind: UInt32 = 0
    var state: UInt32 = 0
    var warningLevel: UInt32 = 0
    var percentage: Double = 0

    /// The decoded state; `nil` if no daemon replies, because a dead daemon reads as "on AC" and "0 %".
    var decoded: UPowerReading? {
        guard let daemonVersion, !daemonVersion.isEmpty else { return nil }
        // UPower's own value ignores a UPS: it only considers the batteries and plugs behind the UPS.
        let isOnUPS = battery != nil && kind == Self.ups && charging == .discharging
        return UPowerReading(isOnBattery: isOnBattery || isOnUPS, battery: battery)
    }

    private static let battery: UInt32 = 2
    private static let ups: UInt32 = 3

    private var battery: BatteryState? {
        // The display device of a machine without a battery or UPS is "unknown" and not present.
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
        case 5: .notCharging  // waiting to be charged
        case 6: .discharging  // waiting to be drained
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
