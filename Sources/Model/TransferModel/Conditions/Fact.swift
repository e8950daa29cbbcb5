// SPDX-License-Identifier: Apache-2.0

/// Where a fact about the machine came from.
public enum FactSource: String, Hashable, Sendable, CaseIterable {
    /// The UPower daemon.
    case upower
    /// The kernel's power_supply class, read from sysfs.
    case sysfs
    /// The kernel's routes and links, asked over rtnetlink.
    case kernel
    /// NetworkManager.
    case networkManager
    /// ModemManager.
    case modemManager
    /// A DHCP client's lease.
    case dhcp
    /// power-profiles-daemon, or a service that answers in its place.
    case powerProfiles
    /// The desktop portal: what a sandboxed program is told.
    case portal
    /// The login manager, systemd-logind or elogind.
    case logind
    /// A rule of this project, applied where no service answers.
    case rule
    /// A person's word about a connection.
    case override
    /// A person's word about everything (`transferctl hold`).
    case person
    /// A person's word for this one run (`--assume`).
    case assumption
    /// Nobody answered.
    case none

    /// The name people know it by.
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
        case .rule: "rule"
        case .override: "override"
        case .person: "transferctl hold"
        case .assumption: "--assume"
        case .none: "nobody"
        }
    }
}

/// How far a fact can be trusted.
public enum Sureness: String, Hashable, Sendable, Codable, CaseIterable {
    /// A service or the kernel said so.
    case reported
    /// Concluded, or said by one of two sources that disagree.
    case guessed
    /// Taken for granted: a person's assumption, or nothing else to go by.
    case assumed
}

/// One thing known about the machine, with where it came from, since when it holds and how sure it is.
public struct Fact<Value: Hashable & Sendable>: Hashable, Sendable {
    /// What is known; "unknown" is a value of its own.
    public var value: Value
    /// Who said so.
    public var source: FactSource
    /// Since when this value holds. A change of source or sureness alone does not move it.
    public var since: Moment
    /// How sure it is.
    public var sureness: Sureness
    /// Whether the value was seen to change while watched. What was read at the start counts as settled.
    public var isObservedChange: Bool

    /// A fact from its parts.
    public init(
        _ value: Value, source: FactSource, since: Moment, sureness: Sureness = .reported,
        isObservedChange: Bool = false
    ) {
        self.value = value
        self.source = source
        self.since = since
        self.sureness = sureness
        self.isObservedChange = isObservedChange
    }

    /// Takes over a new reading: `since` and `isObservedChange` move only when the value does.
    public func updated(to value: Value, source: FactSource, sureness: Sureness, at now: Moment) -> Fact {
        if value == self.value {
            return Fact(
                value, source: source, since: since, sureness: sureness, isObservedChange: isObservedChange)
        }
        return Fact(value, source: source, since: now, sureness: sureness, isObservedChange: true)
    }

    /// The same in place: nothing is copied.
    public mutating func update(to value: consuming Value, source: FactSource, sureness: Sureness, at now: Moment) {
        self.source = source
        self.sureness = sureness
        guard value != self.value else { return }
        self.value = value
        since = now
        isObservedChange = true
    }
}
