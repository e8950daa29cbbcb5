// SPDX-License-Identifier: Apache-2.0

/// The power source of the machine.
public enum PowerSource: String, Hashable, Sendable, Codable, CaseIterable {
    /// AC power, or a machine without a battery.
    case ac
    /// A battery.
    case battery
    /// The power source is unknown. Never treated as AC power.
    case unknown
}

/// The charging state of the batteries.
public enum ChargingState: String, Hashable, Sendable, Codable, CaseIterable {
    /// The batteries are charging.
    case charging
    /// The batteries are discharging.
    case discharging
    /// The batteries are full, and neither charging nor discharging.
    case full
    /// The batteries are not full, and neither charging nor discharging: the charger or a charge limit prevents it.
    case notCharging
    /// The state is unknown.
    case unknown
}

/// The urgency of the battery's level, as reported by UPower.
public enum BatteryWarning: String, Hashable, Sendable, Codable, CaseIterable {
    /// No warning.
    case none
    /// The level is low.
    case low
    /// The level is critical.
    case critical
    /// The machine is about to act (sleep or power off).
    case action
    /// The urgency is unknown.
    case unknown
}

/// The combined state of all batteries of the machine.
///
/// ```swift
/// let battery = BatteryState(level: 80, charging: .charging)
/// ```
public struct BatteryState: Hashable, Sendable {
    /// The charge in percent, 0…100, or `nil` if there is no battery or the charge is unknown.
    public var level: Int?
    /// The charging state.
    public var charging: ChargingState
    /// The urgency of the level.
    public var warning: BatteryWarning

    /// Creates a state. The level is clamped to 0…100.
    public init(level: Int? = nil, charging: ChargingState = .unknown, warning: BatteryWarning = .unknown) {
        self.level = level.map { min(max($0, 0), 100) }
        self.charging = charging
        self.warning = warning
    }
}

/// The user's choice between performance and battery life.
public enum PowerProfile: String, Hashable, Sendable, CaseIterable {
    /// Battery life is more important than performance.
    case powerSaver = "power-saver"
    /// Performance and battery life are balanced.
    case balanced
    /// Performance is more important than battery life.
    case performance
    /// The choice is unknown.
    case unknown
}

/// The sleep state of the machine, including announced changes.
public enum SleepState: String, Hashable, Sendable, CaseIterable {
    /// The machine is awake, and no change has been announced.
    case awake
    /// The machine is about to sleep or is asleep: from the announcement until the machine wakes.
    case aboutToSleep = "about-to-sleep"
    /// The machine is about to shut down or restart.
    case aboutToShutDown = "about-to-shut-down"
}
