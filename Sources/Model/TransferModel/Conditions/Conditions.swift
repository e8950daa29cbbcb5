// SPDX-License-Identifier: Apache-2.0

/// The state of the machine at one moment, as one comparable value: the basis of every decision.
///
/// Unknown is always a separate value. Each fact has a source, a start, and a confidence.
///
/// ```swift
/// var conditions = Conditions(unknownSince: now)
/// conditions.power.update(to: .ac, source: .upower, confidence: .reported, at: now)
/// ```
///
/// ## Topics
///
/// ### Power
///
/// - ``power``
/// - ``battery``
/// - ``powerProfile``
/// - ``drainsOnAC``
/// - ``priceCurve``
///
/// ### Network
///
/// - ``network``
/// - ``linkKind``
/// - ``metered``
/// - ``roaming``
/// - ``connection``
/// - ``interface``
/// - ``underlay``
///
/// ### Machine
///
/// - ``sleep``
/// - ``hold``
/// - ``localTime``
/// - ``custom``
///
/// ### Diagnostics
///
/// - ``disagreements``
/// - ``notes``
public struct Conditions: Hashable, Sendable {
    // Copy-on-write storage, because conditions are passed on far more often than changed. An array is the smallest
    // box with value semantics. The array always has one element.
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
        @usableFromInline var priceCurve: Fact<PriceCurve?>
        @usableFromInline var custom: [CustomCondition]
        @usableFromInline var disagreements: [String]
        @usableFromInline var notes: [String]
        @usableFromInline var localTime: LocalTimeRules

        init(unknownSince now: ClockReading, localTime: LocalTimeRules) {
            power = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            battery = Fact(BatteryState(), source: .none, since: now, confidence: .assumed)
            powerProfile = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            sleep = Fact(.awake, source: .none, since: now, confidence: .assumed)
            hold = Fact(nil, source: .none, since: now, confidence: .assumed)
            network = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            linkKind = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            metered = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            roaming = Fact(.unknown, source: .none, since: now, confidence: .assumed)
            connection = Fact(nil, source: .none, since: now, confidence: .assumed)
            interface = Fact(nil, source: .none, since: now, confidence: .assumed)
            underlay = Fact(nil, source: .none, since: now, confidence: .assumed)
            priceCurve = Fact(nil, source: .none, since: now, confidence: .assumed)
            custom = []
            disagreements = []
            notes = []
            self.localTime = localTime
        }
    }

    /// The power source of the machine.
    @inlinable public var power: Fact<PowerSource> {
        _read { yield facts[0].power }
        _modify { yield &facts[0].power }
    }
    /// The combined state of all batteries.
    @inlinable public var battery: Fact<BatteryState> {
        _read { yield facts[0].battery }
        _modify { yield &facts[0].battery }
    }
    /// The user's choice between performance and battery life.
    @inlinable public var powerProfile: Fact<PowerProfile> {
        _read { yield facts[0].powerProfile }
        _modify { yield &facts[0].powerProfile }
    }
    /// The sleep state of the machine.
    @inlinable public var sleep: Fact<SleepState> {
        _read { yield facts[0].sleep }
        _modify { yield &facts[0].sleep }
    }
    /// The hold on all transfers that a user or a program requested, or `nil` if there is none.
    @inlinable public var hold: Fact<MachineHold?> {
        _read { yield facts[0].hold }
        _modify { yield &facts[0].hold }
    }
    /// The reachability of the network.
    @inlinable public var network: Fact<Reachability> {
        _read { yield facts[0].network }
        _modify { yield &facts[0].network }
    }
    /// The kind of device that carries the default route.
    @inlinable public var linkKind: Fact<LinkKind> {
        _read { yield facts[0].linkKind }
        _modify { yield &facts[0].linkKind }
    }
    /// The price of the network.
    @inlinable public var metered: Fact<Metered> {
        _read { yield facts[0].metered }
        _modify { yield &facts[0].metered }
    }
    /// The roaming state of the mobile network.
    @inlinable public var roaming: Fact<Roaming> {
        _read { yield facts[0].roaming }
        _modify { yield &facts[0].roaming }
    }
    /// The connection's name (SSID or profile), or `nil` if no service reports it.
    @inlinable public var connection: Fact<String?> {
        _read { yield facts[0].connection }
        _modify { yield &facts[0].connection }
    }
    /// The interface that carries the default route.
    @inlinable public var interface: Fact<String?> {
        _read { yield facts[0].interface }
        _modify { yield &facts[0].interface }
    }
    /// The device that finally carries the bytes, or `nil` if it is the same as `interface`.
    ///
    /// The two differ below a VPN, a bridge, and similar devices.
    @inlinable public var underlay: Fact<String?> {
        _read { yield facts[0].underlay }
        _modify { yield &facts[0].underlay }
    }
    /// The prices of energy that are known now, or `nil` if there is no source of prices.
    ///
    /// The price itself follows from the curve and the time, as a time window does.
    @inlinable public var priceCurve: Fact<PriceCurve?> {
        _read { yield facts[0].priceCurve }
        _modify { yield &facts[0].priceCurve }
    }
    /// The conditions that the user or an embedding program has defined, sorted by name.
    @inlinable public var custom: [CustomCondition] {
        _read { yield facts[0].custom }
        _modify { yield &facts[0].custom }
    }
    /// The disagreements between sources, one sentence each, for users.
    @inlinable public var disagreements: [String] {
        _read { yield facts[0].disagreements }
        _modify { yield &facts[0].disagreements }
    }
    /// The problems in reading the conditions, one sentence each, for users.
    @inlinable public var notes: [String] {
        _read { yield facts[0].notes }
        _modify { yield &facts[0].notes }
    }
    /// The rules of the local time zone, for weekly windows and for displayed times.
    @inlinable public var localTime: LocalTimeRules {
        _read { yield facts[0].localTime }
        _modify { yield &facts[0].localTime }
    }

    /// A Boolean value that indicates whether the battery drains although the machine is plugged in: the charger is
    /// too weak.
    ///
    /// The power source remains `ac`, because the machine is plugged in and transfers use little of its power. A
    /// transfer that must avoid this state can require a charge level.
    public var drainsOnAC: Bool { power.value == .ac && battery.value.charging == .discharging }

    /// Creates conditions in which every fact is unknown.
    public init(unknownSince now: ClockReading, localTime: LocalTimeRules = .utc) {
        facts = [Facts(unknownSince: now, localTime: localTime)]
    }
}

/// A hold on all transfers of the machine: none starts, and running transfers stop and keep their bytes.
///
/// A reference type, because conditions are copied with every event and seldom contain a hold.
///
/// ```swift
/// conditions.hold.update(
///     to: MachineHold(by: "Ann", why: "video call"), source: .user, confidence: .reported, at: now)
/// ```
public final class MachineHold: Hashable, Sendable {
    /// The holder of a hold that `transferctl hold` has set.
    package static let user = "the user"
    /// The name of the holder, for users.
    public let holder: String
    /// The reason for the hold, for users. Empty if no reason was given.
    public let why: String
    /// The date on which the hold ends, or `nil` if the user must release it. The code that sets the hold also ends it.
    public let until: WallTime?

    /// Creates a hold. By default, the user must release it.
    public init(by holder: String, why: String, until: WallTime? = nil) {
        self.holder = holder
        self.why = why
        self.until = until
    }

    /// Compares holders, reasons, and end dates.
    public static func == (left: MachineHold, right: MachineHold) -> Bool {
        left === right || (left.holder, left.why, left.until) == (right.holder, right.why, right.until)
    }

    /// Hashes the holder, the reason, and the end date.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(holder)
        hasher.combine(why)
        hasher.combine(until)
    }
}
