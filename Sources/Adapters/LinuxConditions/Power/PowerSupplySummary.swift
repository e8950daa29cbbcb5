// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// What a list of supplies comes to.
struct PowerSupplySummary: Hashable, Sendable {
    /// What the machine runs on; nil when nothing that could tell is listed.
    var source: PowerSource?
    /// The batteries together; nil when none is listed.
    var battery: BatteryState?

    /// Reads a list the way UPower would, and leans to "battery" where that leaves a doubt.
    ///
    /// A plug that gives less than the machine takes is still a plug: the source is AC, as UPower has it, and that the
    /// battery drains all the same shows in its state.
    init(of supplies: [PowerSupply]) {
        let batteries = supplies.filter(\.isBattery)
        let states = batteries.map(\.charging)
        let plugs = supplies.filter(\.isPlug).compactMap(\.isOnline)
        if batteries.contains(where: { $0.type == "UPS" && $0.charging == .discharging }) {
            // It feeds the plugs, too.
            source = .battery
        } else if plugs.contains(true) {
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
        battery = batteries.isEmpty ? nil : Self.together(batteries, isPluggedIn: plugs.contains(true))
    }

    private static func together(_ batteries: [PowerSupply], isPluggedIn: Bool) -> BatteryState {
        let states = batteries.map(\.charging)
        // One charges while another drains: plugged in the machine takes charge, else it gives.
        let order: [ChargingState] =
            isPluggedIn
            ? [.charging, .discharging, .notCharging, .unknown] : [.discharging, .charging, .notCharging, .unknown]
        let charging = order.first { states.contains($0) } ?? .full
        return BatteryState(
            level: level(of: batteries).map { Int($0.rounded()) }, charging: charging, warning: .unknown)
    }

    /// The charge of all, each counted by what it can hold.
    private static func level(of batteries: [PowerSupply]) -> Double? {
        let levels = batteries.compactMap(\.level)
        guard let first = levels.first else { return nil }
        guard batteries.count > 1 else { return first }
        let weights = batteries.compactMap { $0.content.energy?.full }
        let charges = batteries.compactMap { $0.content.charge?.full }
        let sizes = weights.count == batteries.count ? weights : charges
        guard levels.count == batteries.count, sizes.count == batteries.count else {
            return levels.reduce(0, +) / Double(levels.count)
        }
        return zip(levels, sizes).reduce(0) { $0 + $1.0 * $1.1 } / sizes.reduce(0, +)
    }
}
