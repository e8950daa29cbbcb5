// SPDX-License-Identifier: Apache-2.0

/// The source of a fact about the machine.
///
/// ## Topics
///
/// ### Power
///
/// - ``upower``
/// - ``sysfs``
/// - ``powerProfiles``
/// - ``logind``
///
/// ### Network
///
/// - ``kernel``
/// - ``networkManager``
/// - ``modemManager``
/// - ``dhcp``
///
/// ### Sandboxes
///
/// - ``portal``
///
/// ### Prices
///
/// - ``priceCurve``
///
/// ### Users
///
/// - ``custom``
/// - ``override``
/// - ``user``
/// - ``assumption``
///
/// ### Fallbacks
///
/// - ``rule``
/// - ``none``
///
/// ### Properties
///
/// - ``displayName``
public enum FactSource: String, Hashable, Sendable, CaseIterable {
    /// The UPower daemon.
    case upower
    /// The kernel's power_supply class, read from sysfs.
    case sysfs
    /// The kernel's routes and links, read over rtnetlink.
    case kernel
    /// NetworkManager.
    case networkManager
    /// ModemManager.
    case modemManager
    /// The lease of a DHCP client.
    case dhcp
    /// power-profiles-daemon, or a compatible service.
    case powerProfiles
    /// The desktop portal, which serves sandboxed programs.
    case portal
    /// The login manager: systemd-logind or elogind.
    case logind
    /// A price curve from a file or a command of the user.
    case priceCurve
    /// The source that the user or an embedding program has defined for a condition.
    case custom
    /// A rule of this project, which applies if no service responds.
    case rule
    /// A user's setting for a connection.
    case override
    /// A user's setting for everything (`transferctl hold`).
    case user = "person"
    /// An assumption: of a user for one run (`--assume`), or of a program that embeds an engine.
    case assumption
    /// No source responded.
    case none

    /// The name of the source, as shown to users.
    public var displayName: String {
        switch self {
        case .upower: "UPower"
        case .sysfs: "sysfs"
        case .kernel: "kernel"
        case .networkManager: "NetworkManager"
        case .modemManager: "ModemManager"
        case .dhcp: "DHCP lease"
        case .powerProfiles: "power-profiles-daemon"
        case .portal: "portal"
        case .logind: "logind"
        case .priceCurve: "price curve"
        case .custom: "own source"
        case .rule: "rule"
        case .override: "override"
        case .user: "transferctl hold"
        case .assumption: "assumed"
        case .none: "none"
        }
    }
}

/// The confidence in a fact.
public enum Confidence: String, Hashable, Sendable, Codable, CaseIterable {
    /// A service or the kernel reported the fact.
    case reported
    /// The fact is a conclusion, or one of two sources reported it and the other disagrees.
    case guessed
    /// The fact is an assumption by the user, or there is no other information.
    case assumed
}

/// A fact about the machine, with its source, start, and confidence.
///
/// ```swift
/// let power = Fact(PowerSource.ac, source: .upower, since: now)
/// ```
public struct Fact<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value. Unknown is a separate value.
    public var value: Value
    /// The source that reported the value.
    public var source: FactSource
    /// The moment from which the value has been true. A change of source or confidence alone does not move this
    /// moment.
    public var since: ClockReading
    /// The confidence in the value.
    public var confidence: Confidence
    /// A Boolean value that indicates whether the value was seen to change. A value that was read at the start needs
    /// no debounce.
    public var isObservedChange: Bool

    /// Creates a fact. By default, the fact is reported and not an observed change.
    public init(
        _ value: Value, source: FactSource, since: ClockReading, confidence: Confidence = .reported,
        isObservedChange: Bool = false
    ) {
        self.value = value
        self.source = source
        self.since = since
        self.confidence = confidence
        self.isObservedChange = isObservedChange
    }

    /// Returns the fact after a new reading. `since` and `isObservedChange` change only if the value changes.
    public func updated(to value: Value, source: FactSource, confidence: Confidence, at now: ClockReading) -> Fact {
        if value == self.value {
            return Fact(
                value, source: source, since: since, confidence: confidence, isObservedChange: isObservedChange)
        }
        return Fact(value, source: source, since: now, confidence: confidence, isObservedChange: true)
    }

    /// Applies a new reading in place, without a copy. `since` and `isObservedChange` change only if the value
    /// changes.
    public mutating func update(
        to value: consuming Value, source: FactSource, confidence: Confidence, at now: ClockReading
    ) {
        self.source = source
        self.confidence = confidence
        guard value != self.value else { return }
        self.value = value
        since = now
        isObservedChange = true
    }
}
