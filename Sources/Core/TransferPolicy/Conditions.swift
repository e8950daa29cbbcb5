// SPDX-License-Identifier: Apache-2.0

/// The machine at one moment, as one comparable value: what every decision is made on.
///
/// "Unknown" is a value of its own everywhere, and each fact says where it came from, since when, and how sure it is.
public struct Conditions: Hashable, Sendable {
    /// What the machine runs on.
    public var power: Fact<PowerSource>
    /// The batteries taken together.
    public var battery: Fact<BatteryState>
    /// What the person chose between speed and battery life.
    public var powerProfile: Fact<PowerProfile>
    /// Whether the machine is awake.
    public var sleep: Fact<SleepState>
    /// What holds everything back because somebody asked for it; nil where nothing does.
    public var hold: Fact<MachineHold?>
    /// What can be reached.
    public var network: Fact<Reachability>
    /// The kind of device under the default route.
    public var linkKind: Fact<LinkKind>
    /// Whether bytes cost money.
    public var metered: Fact<Metered>
    /// Whether the mobile network is a foreign one.
    public var roaming: Fact<Roaming>
    /// The connection's name (SSID or profile), where a service tells it.
    public var connection: Fact<String?>
    /// The interface that carries the default route.
    public var interface: Fact<String?>
    /// The device that carries the bytes in the end, where it is another than `interface`: below a VPN, a bridge and the
    /// like.
    public var underlay: Fact<String?>
    /// Where two sources answered differently: one sentence each, for people.
    public var disagreements: [String]
    /// What could not be read as it should: one sentence each, for people.
    public var notes: [String]
    /// The local time zone's rules, for windows of the week and for showing times.
    public var localTime: LocalTimeRules

    /// Whether a battery drains although the machine is plugged in: a charger too weak for what it takes.
    ///
    /// The power source stays `ac`, as a transfer's share of what the machine takes is small and the plug is there; who
    /// minds asks for a level of charge.
    public var drainsOnAC: Bool { power.value == .ac && battery.value.charging == .discharging }

    /// Conditions about which nothing is known.
    public init(unknownSince now: Moment, localTime: LocalTimeRules = .utc) {
        power = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        battery = Fact(BatteryState(), source: .none, since: now, sureness: .assumed)
        powerProfile = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        sleep = Fact(.awake, source: .none, since: now, sureness: .assumed)
        hold = Fact(nil, source: .none, since: now, sureness: .assumed)
        network = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        linkKind = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        metered = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        roaming = Fact(.unknown, source: .none, since: now, sureness: .assumed)
        connection = Fact(nil, source: .none, since: now, sureness: .assumed)
        interface = Fact(nil, source: .none, since: now, sureness: .assumed)
        underlay = Fact(nil, source: .none, since: now, sureness: .assumed)
        disagreements = []
        notes = []
        self.localTime = localTime
    }
}
