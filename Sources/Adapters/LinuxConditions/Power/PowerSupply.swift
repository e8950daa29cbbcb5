// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// One entry of the kernel's power_supply class, as sysfs shows it: trimmed text, nil where there is no such file.
struct PowerSupply: Hashable, Sendable {
    var name: String
    var type: String?
    var online: String?
    var status: String?
    var scope: String?
    var capacity: String?
    var present: String?

    /// Powers the machine, not a mouse or a headset.
    var isSystem: Bool { scope?.lowercased() != "device" }

    /// A battery, or a UPS, which is one to us.
    var isBattery: Bool { isSystem && (type == "Battery" || type == "UPS") && present != "0" }

    /// A plug: mains, or a USB port that can take power in.
    var isPlug: Bool {
        guard isSystem, let type else { return false }
        return type == "Mains" || type == "BrickID" || type == "Wireless" || type.hasPrefix("USB")
    }

    /// Whether a plug gives power; nil when it does not say.
    ///
    /// Some say 2 for "programmable".
    var isOnline: Bool? { online.flatMap { Int($0) }.map { $0 > 0 } }

    /// What a battery does.
    var charging: ChargingState {
        switch status {
        case "Charging": .charging
        case "Discharging": .discharging
        case "Full": .full
        case "Not charging": .notCharging
        default: .unknown
        }
    }
}

/// What a list of supplies comes to.
struct PowerSupplySummary: Hashable, Sendable {
    /// What the machine runs on; nil when nothing that could tell is listed.
    var source: PowerSource?
    /// The batteries together; nil when none is listed.
    var battery: BatteryState?

    /// Reads a list the way UPower would, and leans to "battery" where that leaves a doubt.
    init(of supplies: [PowerSupply]) {
        let batteries = supplies.filter(\.isBattery)
        let states = batteries.map(\.charging)
        battery = batteries.isEmpty ? nil : Self.together(batteries)
        let plugs = supplies.filter(\.isPlug).compactMap(\.isOnline)
        if plugs.contains(true) {
            source = .ac
        } else if states.contains(.discharging) {
            source = .battery
        } else if batteries.isEmpty {
            // Plugs that give nothing on a machine that runs: it is fed by something not listed.
            source = plugs.isEmpty ? nil : .ac
        } else if states.contains(.charging) {
            // Something not listed feeds it.
            source = .ac
        } else if plugs.isEmpty {
            source = states.contains { $0 == .full || $0 == .notCharging } ? .ac : .unknown
        } else {
            // Unplugged a moment ago, with the battery not yet aware of it.
            source = .battery
        }
    }

    private static func together(_ batteries: [PowerSupply]) -> BatteryState {
        let levels = batteries.compactMap { $0.capacity.flatMap { Int($0) } }.map { min(max($0, 0), 100) }
        let states = batteries.map(\.charging)
        let charging: ChargingState =
            [.discharging, .charging, .notCharging, .unknown].first { states.contains($0) } ?? .full
        return BatteryState(
            level: levels.isEmpty ? nil : levels.reduce(0, +) / levels.count, charging: charging, warning: .unknown)
    }
}
