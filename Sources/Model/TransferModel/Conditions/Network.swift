// SPDX-License-Identifier: Apache-2.0

/// The reachability of the network.
public enum Reachability: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing is reachable: there is no route, or the link has no carrier.
    case none
    /// A captive portal requires a login.
    case portal
    /// A network is reachable, but the internet is not.
    case limited
    /// The internet is reachable, as far as any source can tell.
    case full
    /// No source reports the reachability.
    case unknown

    /// A Boolean value that indicates whether a transfer may be tried. A network of unknown reachability may be
    /// tried.
    public var isUsable: Bool {
        switch self {
        case .none, .portal: false
        case .limited, .full, .unknown: true
        }
    }
}

/// The kind of device that carries the default route. A VPN or a bridge is resolved to the device below it.
public enum LinkKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A cable, or a virtual device that represents one (veth, virtio, a bridge or bond over wired ports).
    case ethernet
    /// A wireless LAN.
    case wifi
    /// The modem of a mobile network.
    case cellular
    /// A Bluetooth personal area network.
    case bluetooth
    /// A phone's connection over USB.
    case usbTether = "usb-tether"
    /// Another kind of device.
    case other
    /// The kind is unknown, or there is no link.
    case unknown
}

/// A set of link kinds.
///
/// ```swift
/// let free: LinkKinds = [LinkKinds(.ethernet), LinkKinds(.wifi)]
/// ```
public struct LinkKinds: OptionSet, Hashable, Sendable, Codable {
    /// The raw bits, one for each kind.
    public let rawValue: UInt8

    /// Creates a set from its raw bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Creates a set with a single kind.
    public init(_ kind: LinkKind) {
        // The bit is the position in `allCases`. Seven kinds fit into eight bits.
        rawValue = 1 << UInt8(LinkKind.allCases.firstIndex(of: kind) ?? 7)
    }

    /// The kinds in the set, in declaration order.
    public var kinds: [LinkKind] { LinkKind.allCases.filter { contains(LinkKinds($0)) } }
}

/// The price of a network: metered or not.
public enum Metered: String, Hashable, Sendable, Codable, CaseIterable {
    /// A source reports that the network is metered.
    case yes
    /// A source guesses that the network is metered. Counts as `yes`.
    case guessYes
    /// A source reports that the network is free.
    case no
    /// A source guesses that the network is free. Counts as `no`.
    case guessNo
    /// No source reports the price, and the kind of link decides.
    case unknown
}

/// The roaming state: whether the mobile network belongs to another operator than the user's own.
public enum Roaming: String, Hashable, Sendable, CaseIterable {
    /// The connection is roaming.
    case yes
    /// The device is on its home network.
    case no
    /// The state is unknown. A link that is not cellular is never roaming.
    case unknown
}
