// SPDX-License-Identifier: Apache-2.0
import TransferPolicy

/// What an interface is to the one who asks what carries the bytes.
enum LinkRole: Hashable, Sendable {
    /// It carries them itself; `isGuess` where the same driver serves other things as well.
    case carrier(LinkKind, isGuess: Bool)
    /// A tunnel: what carries its packets is found by a route.
    case tunnel
    /// Its members carry them.
    case members
    /// The link below carries them.
    case lower

    /// Reads the role off a link's description.
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
            "ovpn", "ovpn-dco", "amneziawg":
            .tunnel
        case "bridge", "bond", "team", "vrf": .members
        case "vlan", "macvlan", "macvtap", "ipvlan", "macsec": .lower
        // They keep the link below to themselves, if they are bound to one at all.
        case "vxlan", "geneve": lower == 0 ? .tunnel : .lower
        case "veth", "dummy", "virtio", "hsr", "dsa": .carrier(.ethernet, isGuess: false)
        case "wwan", "rmnet": .carrier(.cellular, isGuess: false)
        case "virt_wifi": .carrier(.wifi, isGuess: false)
        case "bt6lowpan": .carrier(.bluetooth, isGuess: false)
        default: .carrier(.other, isGuess: false)
        }
    }

    private static func device(_ link: LinkDescription) -> LinkRole {
        let (ethernet, rawIP, none): (UInt32, UInt32, UInt32) = (1, 519, 0xFFFE)
        switch (link.files?.deviceType, link.files?.driver) {
        case ("wlan", _): return .carrier(.wifi, isGuess: false)
        case ("wwan", _): return .carrier(.cellular, isGuess: false)
        case ("bluetooth", _): return .carrier(.bluetooth, isGuess: false)
        case (_, "qmi_wwan"), (_, "cdc_mbim"), (_, "huawei_cdc_ncm"), (_, "sierra_net"), (_, "hso"):
            return .carrier(.cellular, isGuess: false)
        case (_, "rndis_host"), (_, "ipheth"): return .carrier(.usbTether, isGuess: false)
        // Docks use these as well.
        case (_, "cdc_ether"), (_, "cdc_ncm"): return .carrier(.usbTether, isGuess: true)
        default: break
        }
        if link.files?.isWireless == true { return .carrier(.wifi, isGuess: false) }
        switch link.hardwareType {
        case rawIP: return .carrier(.cellular, isGuess: false)
        case none: return .tunnel
        // Without sysfs an Ethernet-like device could be Wi-Fi as well.
        case ethernet: return .carrier(link.files == nil ? .unknown : .ethernet, isGuess: false)
        default: return .carrier(.other, isGuess: false)
        }
    }
}

extension LinkKind {
    /// Orders kinds by what their bytes tend to cost.
    var dearness: Int {
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

    /// Whether bytes over it tend to cost nothing.
    var tendsToBeFree: Bool { self == .ethernet || self == .wifi }
}
