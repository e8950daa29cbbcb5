// SPDX-License-Identifier: Apache-2.0

/// What can be reached.
public enum Reachability: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing: no route, or a link without carrier.
    case none
    /// A captive portal wants a login first.
    case portal
    /// A network, but not the internet.
    case limited
    /// The internet, as far as anybody can say.
    case full
    /// Nobody can say.
    case unknown

    /// Whether a transfer may be tried. What nobody knows is tried.
    public var isUsable: Bool {
        switch self {
        case .none, .portal: false
        case .limited, .full, .unknown: true
        }
    }
}

/// The kind of device that carries the default route; a VPN or bridge is resolved to what carries it.
public enum LinkKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A cable, or a virtual device that stands for one (veth, virtio, a bridge or bond over wired ports).
    case ethernet
    /// Wireless LAN.
    case wifi
    /// A mobile network's modem.
    case cellular
    /// Bluetooth personal area network.
    case bluetooth
    /// A phone's link over USB.
    case usbTether = "usb-tether"
    /// Something else.
    case other
    /// Nobody can say, or there is no link.
    case unknown
}

/// A set of link kinds.
public struct LinkKinds: OptionSet, Hashable, Sendable, Codable {
    /// One bit a kind.
    public let rawValue: UInt8

    /// A set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The set of one kind.
    public init(_ kind: LinkKind) {
        // The position in `allCases` is the bit: seven kinds fit eight bits.
        rawValue = 1 << UInt8(LinkKind.allCases.firstIndex(of: kind) ?? 7)
    }

    /// The kinds in the set, in the order of their declaration.
    public var kinds: [LinkKind] { LinkKind.allCases.filter { contains(LinkKinds($0)) } }
}

/// Whether bytes cost somebody money.
public enum Metered: String, Hashable, Sendable, Codable, CaseIterable {
    /// Said to be metered.
    case yes
    /// Guessed to be metered; counts as `yes`.
    case guessYes
    /// Said to be free.
    case no
    /// Guessed to be free; counts as `no`.
    case guessNo
    /// Nobody can say; the kind of link decides.
    case unknown
}

/// Whether the network belongs to somebody else than the one whose customer the person is.
public enum Roaming: String, Hashable, Sendable, CaseIterable {
    /// Roaming.
    case yes
    /// At home.
    case no
    /// Nobody can say; a link that is not cellular never roams.
    case unknown
}
