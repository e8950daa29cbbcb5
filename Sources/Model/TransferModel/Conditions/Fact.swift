// SPDX-License-Identifier: Apache-2.0

/// The source of a fact about the machine: one of this project's, or one with a name of your own.
///
/// ```swift
/// let power = Fact(PowerSource.ac, source: FactSource(named: "battery controller"), since: now)
/// ```
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
/// ### Names
///
/// - ``init(named:)``
/// - ``displayName``
/// - ``rawValue``
public struct FactSource: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The identifier of a source of this project, as recordings name it, or the name of any other source.
    public let rawValue: String

    /// Creates a source from its identifier or its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates the source of a program that embeds an engine. Sentences show its name as given.
    public init(named name: String) { rawValue = name }

    /// The UPower daemon.
    public static var upower: Self { Self(rawValue: "upower") }
    /// The kernel's power_supply class, read from sysfs.
    public static var sysfs: Self { Self(rawValue: "sysfs") }
    /// The kernel's routes and links, read over rtnetlink.
    public static var kernel: Self { Self(rawValue: "kernel") }
    /// NetworkManager.
    public static var networkManager: Self { Self(rawValue: "networkManager") }
    /// ModemManager.
    public static var modemManager: Self { Self(rawValue: "modemManager") }
    /// The lease of a DHCP client.
    public static var dhcp: Self { Self(rawValue: "dhcp") }
    /// power-profiles-daemon, or a compatible service.
    public static var powerProfiles: Self { Self(rawValue: "powerProfiles") }
    /// The desktop portal, which serves sandboxed programs.
    public static var portal: Self { Self(rawValue: "portal") }
    /// The login manager: systemd-logind or elogind.
    public static var logind: Self { Self(rawValue: "logind") }
    /// A price curve from a file or a command of the user.
    public static var priceCurve: Self { Self(rawValue: "priceCurve") }
    /// The source that the user or an embedding program has defined for a condition.
    public static var custom: Self { Self(rawValue: "custom") }
    /// A rule of this project, which applies if no service responds.
    public static var rule: Self { Self(rawValue: "rule") }
    /// A user's setting for a connection.
    public static var override: Self { Self(rawValue: "override") }
    /// A user's setting for everything (`transferctl hold`).
    public static var user: Self { Self(rawValue: "person") }
    /// An assumption: of a user for one run (`--assume`), or of a program that embeds an engine.
    public static var assumption: Self { Self(rawValue: "assumption") }
    /// No source responded.
    public static var none: Self { Self(rawValue: "none") }

    /// The identifier or the name.
    public var description: String { rawValue }

    /// The name of the source, as shown to users.
    public var displayName: String {
        switch self {
        case .upower: "UPower"
        case .networkManager: "NetworkManager"
        case .modemManager: "ModemManager"
        case .dhcp: "DHCP lease"
        case .powerProfiles: "power-profiles-daemon"
        case .priceCurve: "price curve"
        case .custom: "own source"
        case .user: "transferctl hold"
        case .assumption: "assumed"
        default: rawValue
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
