// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// An entry of the kernel's class power_supply, as sysfs shows it. Values are trimmed text; `nil` if the file does not
/// exist or cannot be read.
struct PowerSupply: Hashable, Sendable {
    var name: String
    var type: String?
    var online: String?
    var status: String?
    var scope: String?
    var capacity: String?
    var present: String?
    /// The contents of a battery, in µWh, or in µAh if the driver counts charge.
    var content = Content()
    /// The power roles of the USB-C ports that belong to the supply, such as `source [sink]`. Brackets mark the
    /// current role.
    var portRoles: [String] = []

    /// The current and maximum contents of a battery.
    struct Content: Hashable, Sendable {
        var energyNow: String?
        var energyFull: String?
        var chargeNow: String?
        var chargeFull: String?
        var voltage: String?
    }

    /// Whether the supply powers the machine, and not a peripheral such as a mouse or headset.
    var isSystem: Bool { scope?.lowercased() != "device" }

    /// Whether the supply is a battery. A UPS counts as a battery.
    var isBattery: Bool { isSystem && (type == "Battery" || type == "UPS") && present != "0" }

    /// Whether the supply is a plug: AC power, a charger, or a USB port that can draw power.
    ///
    /// A USB-C port that powers another device reports `online` as well.
    var isPlug: Bool {
        guard isSystem, let type else { return false }
        if type.hasPrefix("USB") { return portRoles.isEmpty || portRoles.contains { $0.contains("[sink]") } }
        return type == "Mains" || type == "BrickID" || type == "Wireless"
    }

    /// Whether a plug supplies power; `nil` if unknown.
    ///
    /// Some drivers report 2 for "programmable".
    var isOnline: Bool? { online.flatMap { Int($0) }.map { $0 > 0 } }

    /// The charging state of a battery.
    var charging: ChargingState {
        switch status {
        case "Charging": .charging
        case "Discharging": .discharging
        case "Full": .full
        case "Not charging": .notCharging
        default: .unknown
        }
    }

    /// The charge in percent: the kernel's own value, or else the contents relative to the maximum. `nil` if neither is
    /// known.
    var level: Double? {
        if let capacity = capacity.flatMap({ Double($0) }), capacity.isFinite { return min(max(capacity, 0), 100) }
        let share = content.energy ?? content.charge
        return share.map { min(max($0.now / $0.full * 100, 0), 100) }
    }
}

extension PowerSupply.Content {
    /// The energy in µWh. Computed from the charge if only the charge and the voltage are known.
    var energy: (now: Double, full: Double)? {
        if let energy = Self.pair(energyNow, energyFull) { return energy }
        guard let charge, let voltage = voltage.flatMap({ Double($0) }), voltage.isFinite, voltage > 0 else {
            return nil
        }
        return (charge.now * voltage / 1e6, charge.full * voltage / 1e6)
    }

    /// The charge in µAh.
    var charge: (now: Double, full: Double)? { Self.pair(chargeNow, chargeFull) }

    private static func pair(_ now: String?, _ full: String?) -> (now: Double, full: Double)? {
        guard let now = now.flatMap({ Double($0) }), let full = full.flatMap({ Double($0) }), now.isFinite,
            full.isFinite, now >= 0, full > 0
        else { return nil }
        return (now, full)
    }
}
