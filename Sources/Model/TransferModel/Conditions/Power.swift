// SPDX-License-Identifier: Apache-2.0

/// What the machine runs on.
public enum PowerSource: String, Hashable, Sendable, Codable, CaseIterable {
    /// Mains, or a machine that has no battery.
    case ac
    /// A battery.
    case battery
    /// Nobody can say. Never taken for mains.
    case unknown
}

/// What the batteries do.
public enum ChargingState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Taking charge.
    case charging
    /// Giving charge.
    case discharging
    /// Neither, and full.
    case full
    /// Neither, and not full: the charger or a charge limit holds it.
    case notCharging
    /// Nobody can say.
    case unknown
}

/// How urgent the battery's level is, as UPower tells it.
public enum BatteryWarning: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing to warn of.
    case none
    /// Low.
    case low
    /// Critical.
    case critical
    /// The machine is about to act (sleep or power off).
    case action
    /// Nobody can say.
    case unknown
}

/// The machine's batteries taken together.
public struct BatteryState: Hashable, Sendable {
    /// Charge in percent, 0…100; nil where there is no battery or nobody can say.
    public var level: Int?
    /// What the batteries do.
    public var charging: ChargingState
    /// How urgent the level is.
    public var warning: BatteryWarning

    /// A state; `level` is held within 0…100.
    public init(level: Int? = nil, charging: ChargingState = .unknown, warning: BatteryWarning = .unknown) {
        self.level = level.map { min(max($0, 0), 100) }
        self.charging = charging
        self.warning = warning
    }
}

/// What the person chose between speed and battery life.
public enum PowerProfile: String, Hashable, Sendable, CaseIterable {
    /// Long battery life before speed.
    case powerSaver = "power-saver"
    /// Neither.
    case balanced
    /// Speed before battery life.
    case performance
    /// Nobody can say.
    case unknown
}

/// Whether the machine is awake, and will stay so.
public enum SleepState: String, Hashable, Sendable, CaseIterable {
    /// Awake, and nobody has said otherwise.
    case awake
    /// It is going to sleep, or asleep: between the announcement and the waking up.
    case aboutToSleep = "about-to-sleep"
    /// It is going to be switched off or started anew.
    case aboutToShutDown = "about-to-shut-down"
}
