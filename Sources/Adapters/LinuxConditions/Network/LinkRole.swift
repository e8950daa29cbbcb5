// SPDX-License-Identifier: Apache-2.0
internal import TransferModel

/// The role of an interface in the search for the link that carries the traffic.
enum LinkRole: Hashable, Sendable {
    /// The interface carries the traffic itself. `isGuess` is true if the driver also serves devices of other kinds.
    case carrier(LinkKind, isGuess: Bool)
    /// A tunnel. A route determines the link that carries the tunnel's packets.
    case tunnel
    /// The members of the interface carry the traffic.
    case members
    /// The link below the interface carries the traffic.
    case lower

    /// Determines the role from a link's description.
    init(of link: LinkDescription) {
        if let kind = link.kind {
            self = Self.virtual(kind, over: link.lower)
        } else {
            self = Self.device(link)
        }
    }

    private static func virtual(_ kind: String, over lower: Int32) -> LinkRole {
        switch kind {
        case "wireguard", "tun", "ipip", "sit", "gre", "gretap", "ip6tnl", "ip6gre", "ip6gretap", "xfrm", "vti", "vti6",
            "ovpn", "ovpn-dco", "amneziawg", "bareudp", "gtp", "amt":
            .tunnel
        case "bridge", "bond", "team", "vrf", "batadv": .members
        case "vlan", "macvlan", "macvtap", "ipvlan", "ipvtap", "macsec", "ipoib": .lower
        // Carried by the link below if bound to one, otherwise routed like any tunnel.
        case "vxlan", "geneve": lower == 0 ? .tunnel : .lower
        case "veth", "netkit", "dummy", "virtio", "hsr", "dsa", "ifb", "netdevsim": .carrier(.ethernet, isGuess: false)
        case "wwan", "rmnet": .carrier(.cellular, isGuess: false)
        case "virt_wifi": .carrier(.wifi, isGuess: false)
        case "bt6lowpan": .carrier(.bluetooth, isGuess: false)
        // DSL over a cable, or a modem. Only the program that dialed knows which.
        case "ppp": .carrier(.unknown, isGuess: true)
        default: .carrier(.other, isGuess: false)
        }
    }

    private static func device(_ link: LinkDescription) -> LinkRole {
        let (ethernet, ppp, rawIP, none): (UInt32, UInt32, UInt32, UInt32) = (1, 512, 519, 0xFFFE)
        // IP in IP, IPv6 in IP, and GRE, for drivers that report no kind.
        let tunnels: ClosedRange<UInt32> = 768...778
        switch (link.files?.deviceType, link.files?.driver) {
        case ("wlan", _): return .carrier(.wifi, isGuess: false)
        case ("wwan", _): return .carrier(.cellular, isGuess: false)
        case ("bluetooth", _): return .carrier(.bluetooth, isGuess: false)
        case (_, "qmi_wwan"), (_, "cdc_mbim"), (_, "huawei_cdc_ncm"), (_, "sierra_net"), (_, "hso"),
            (_, "mhi_net"), (_, "mhi_wwan_mbim"), (_, "iosm"), (_, "mtk_t7xx"), (_, "bam-dmux"), (_, "ipa"):
            return .carrier(.cellular, isGuess: false)
        case (_, "rndis_host"), (_, "ipheth"): return .carrier(.usbTether, isGuess: false)
        // Docks use these drivers as well.
        case (_, "cdc_ether"), (_, "cdc_ncm"): return .carrier(.usbTether, isGuess: true)
        default: break
        }
        if link.isWireless || link.files?.isWireless == true { return .carrier(.wifi, isGuess: false) }
        switch link.hardwareType {
        case rawIP: return .carrier(.cellular, isGuess: false)
        case none, tunnels: return .tunnel
        case ppp: return .carrier(.unknown, isGuess: true)
        // Without sysfs, an Ethernet-like device could also be Wi-Fi.
        case ethernet: return .carrier(link.files == nil ? .unknown : .ethernet, isGuess: false)
        default: return .carrier(.other, isGuess: false)
        }
    }
}

extension LinkKind {
    /// The rank of this kind by the typical cost of its traffic; 0 is the cheapest.
    var costRank: Int {
        switch self {
        case .ethernet: 0
        case .wifi: 1
        case .other: 2
        case .unknown: 3
        case .usbTether: 4
        case .bluetooth: 5
        case .cellular: 6
        }
    }
}
