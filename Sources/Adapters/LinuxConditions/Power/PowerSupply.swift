// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// One entry of the kernel's power_supply class, as sysfs shows it: trimmed text, nil where there is no such file or it
/// cannot be read.
struct PowerSupply: Hashable, Sendable {
    var name: String
    var type: String?
    var online: String?
    var status: String?
    var scope: String?
    var capacity: String?
    var present: String?
    /// What a battery holds, in µWh, or in µAh where the driver counts charge.
    var content = Content()
    /// The power roles of the USB-C ports that belong to it: `source [sink]`, the one in force in brackets.
    var portRoles: [String] = []

    /// How much a battery holds and can hold.
    struct Content: Hashable, Sendable {
        var energyNow: String?
        var energyFull: String?
        var chargeNow: String?
        var chargeFull: String?
        var voltage: String?
    }

    /// Powers the machine, not a mouse or a headset.
    var isSystem: Bool { scope?.lowercased() != "device" }

    /// A battery, or a UPS, which is one to us.
    var isBattery: Bool { isSystem && (type == "Battery" || type == "UPS") && present != "0" }

    /// A plug: mains, or a USB port that can take power in.
    ///
    /// A USB-C port that feeds something else says `online` as well.
    var isPlug: Bool {
        guard isSystem, let type else { return false }
        if type.hasPrefix("USB") { return portRoles.isEmpty || portRoles.contains { $0.contains("[sink]") } }
        return type == "Mains" || type == "BrickID" || type == "Wireless"
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

    /// The charge in percent: the kernel's own word, else what is held of what can be held; nil where neither is told.
    var level: Double? {
        if let capacity = capacity.flatMap({ Double($0) }), capacity.isFinite { return min(max(capacity, 0), 100) }
        let share = content.energy ?? content.charge
        return share.map { min(max($0.now / $0.full * 100, 0), 100) }
    }
}

extension PowerSupply.Content {
    /// In µWh; from the charge where only that is counted, and the voltage is known.
    var energy: (now: Double, full: Double)? {
        if let energy = Self.pair(energyNow, energyFull) { return energy }
        guard let charge, let voltage = voltage.flatMap({ Double($0) }), voltage.isFinite, voltage > 0 else {
            return nil
        }
        return (charge.now * voltage / 1e6, charge.full * voltage / 1e6)
    }

    /// In µAh.
    var charge: (now: Double, full: Double)? { Self.pair(chargeNow, chargeFull) }

    private static func pair(_ now: String?, _ full: String?) -> (now: Double, full: Double)? {
        guard let now = now.flatMap({ Double($0) }), let full = full.flatMap({ Double($0) }), now.isFinite,
            full.isFinite, now >= 0, full > 0
        else { return nil }
        return (now, full)
    }
}
