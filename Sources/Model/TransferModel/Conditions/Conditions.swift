// SPDX-License-Identifier: Apache-2.0

/// The machine at one moment, as one comparable value: what every decision is made on.
///
/// "Unknown" is a value of its own everywhere, and each fact says where it came from, since when, and how sure it is.
public struct Conditions: Hashable, Sendable {
    // Kept apart and shared until somebody changes them, since they are handed on far more often than changed; in an array
    // as the smallest box that is copied as a value. It has one element always.
    @usableFromInline var facts: [Facts]

    @usableFromInline struct Facts: Hashable, Sendable {
        @usableFromInline var power: Fact<PowerSource>
        @usableFromInline var battery: Fact<BatteryState>
        @usableFromInline var powerProfile: Fact<PowerProfile>
        @usableFromInline var sleep: Fact<SleepState>
        @usableFromInline var hold: Fact<MachineHold?>
        @usableFromInline var network: Fact<Reachability>
        @usableFromInline var linkKind: Fact<LinkKind>
        @usableFromInline var metered: Fact<Metered>
        @usableFromInline var roaming: Fact<Roaming>
        @usableFromInline var connection: Fact<String?>
        @usableFromInline var interface: Fact<String?>
        @usableFromInline var underlay: Fact<String?>
        @usableFromInline var disagreements: [String]
        @usableFromInline var notes: [String]
        @usableFromInline var localTime: LocalTimeRules

        init(unknownSince now: Moment, localTime: LocalTimeRules) {
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

    /// What the machine runs on.
    @inlinable public var power: Fact<PowerSource> {
        _read { yield facts[0].power }
        _modify { yield &facts[0].power }
    }
    /// The batteries taken together.
    @inlinable public var battery: Fact<BatteryState> {
        _read { yield facts[0].battery }
        _modify { yield &facts[0].battery }
    }
    /// What the person chose between speed and battery life.
    @inlinable public var powerProfile: Fact<PowerProfile> {
        _read { yield facts[0].powerProfile }
        _modify { yield &facts[0].powerProfile }
    }
    /// Whether the machine is awake.
    @inlinable public var sleep: Fact<SleepState> {
        _read { yield facts[0].sleep }
        _modify { yield &facts[0].sleep }
    }
    /// What holds everything back because somebody asked for it; nil where nothing does.
    @inlinable public var hold: Fact<MachineHold?> {
        _read { yield facts[0].hold }
        _modify { yield &facts[0].hold }
    }
    /// What can be reached.
    @inlinable public var network: Fact<Reachability> {
        _read { yield facts[0].network }
        _modify { yield &facts[0].network }
    }
    /// The kind of device under the default route.
    @inlinable public var linkKind: Fact<LinkKind> {
        _read { yield facts[0].linkKind }
        _modify { yield &facts[0].linkKind }
    }
    /// Whether bytes cost money.
    @inlinable public var metered: Fact<Metered> {
        _read { yield facts[0].metered }
        _modify { yield &facts[0].metered }
    }
    /// Whether the mobile network is a foreign one.
    @inlinable public var roaming: Fact<Roaming> {
        _read { yield facts[0].roaming }
        _modify { yield &facts[0].roaming }
    }
    /// The connection's name (SSID or profile), where a service tells it.
    @inlinable public var connection: Fact<String?> {
        _read { yield facts[0].connection }
        _modify { yield &facts[0].connection }
    }
    /// The interface that carries the default route.
    @inlinable public var interface: Fact<String?> {
        _read { yield facts[0].interface }
        _modify { yield &facts[0].interface }
    }
    /// The device that carries the bytes in the end, where it is another than `interface`: below a VPN, a bridge and the
    /// like.
    @inlinable public var underlay: Fact<String?> {
        _read { yield facts[0].underlay }
        _modify { yield &facts[0].underlay }
    }
    /// Where two sources answered differently: one sentence each, for people.
    @inlinable public var disagreements: [String] {
        _read { yield facts[0].disagreements }
        _modify { yield &facts[0].disagreements }
    }
    /// What could not be read as it should: one sentence each, for people.
    @inlinable public var notes: [String] {
        _read { yield facts[0].notes }
        _modify { yield &facts[0].notes }
    }
    /// The local time zone's rules, for windows of the week and for showing times.
    @inlinable public var localTime: LocalTimeRules {
        _read { yield facts[0].localTime }
        _modify { yield &facts[0].localTime }
    }

    /// Whether a battery drains although the machine is plugged in: a charger too weak for what it takes.
    ///
    /// The power source stays `ac`, as a transfer's share of what the machine takes is small and the plug is there; who
    /// minds asks for a level of charge.
    public var drainsOnAC: Bool { power.value == .ac && battery.value.charging == .discharging }

    /// Conditions about which nothing is known.
    public init(unknownSince now: Moment, localTime: LocalTimeRules = .utc) {
        facts = [Facts(unknownSince: now, localTime: localTime)]
    }
}
