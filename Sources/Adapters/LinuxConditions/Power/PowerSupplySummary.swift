// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The combined state of a list of power supplies.
struct PowerSupplySummary: Hashable, Sendable {
    /// The power source; `nil` if no listed supply can tell.
    var source: PowerSource?
    /// The combined state of the batteries; `nil` if none is listed.
    var battery: BatteryState?

    /// Summarizes a list the way UPower does, and prefers "battery" in case of doubt.
    ///
    /// A plug that supplies less than the machine draws is still a plug: the source is AC, as in UPower. The battery's
    /// state shows that the battery drains anyway.
    init(of supplies: [PowerSupply]) {
        let batteries = supplies.filter(\.isBattery)
        let states = batteries.map(\.charging)
        let plugs = supplies.filter(\.isPlug).compactMap(\.isOnline)
        if batteries.contains(where: { $0.type == "UPS" && $0.charging == .discharging }) {
            // The UPS feeds the plugs, too.
            source = .battery
        } else if plugs.contains(true) {
            source = .ac
        } else if states.contains(.discharging) {
            source = .battery
        } else if batteries.isEmpty {
            // The machine runs although the plugs supply nothing, so an unlisted supply feeds the machine.
            source = plugs.isEmpty ? nil : .ac
        } else if states.contains(.charging) {
            // An unlisted supply feeds the battery.
            source = .ac
        } else if plugs.isEmpty {
            source = states.contains { $0 == .full || $0 == .notCharging } ? .ac : .unknown
        } else {
            // Unplugged a moment ago, and the battery has not noticed yet.
            source = .battery
        }
        battery = batteries.isEmpty ? nil : Self.together(batteries, isPluggedIn: plugs.contains(true))
    }

    private static func together(_ batteries: [PowerSupply], isPluggedIn: Bool) -> BatteryState {
        let states = batteries.map(\.charging)
        // If one battery charges while another drains, the combined state depends on the plug: charging if plugged in,
        // otherwise discharging.
        let order: [ChargingState] =
            isPluggedIn
            ? [.charging, .discharging, .notCharging, .unknown] : [.discharging, .charging, .notCharging, .unknown]
        let charging = order.first { states.contains($0) } ?? .full
        return BatteryState(
            level: level(of: batteries).flatMap { Int(exactly: $0.rounded()) }, charging: charging, warning: .unknown)
    }

    /// Returns the combined charge of the batteries, weighted by capacity.
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
