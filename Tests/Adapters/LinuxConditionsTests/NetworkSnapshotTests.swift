// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("The network path, from links and routes")
struct NetworkSnapshotTests {
    private static let running: UInt32 = 0x1043

    private func link(
        _ index: Int32, _ name: String, kind: String? = nil, flags: UInt32 = running, state: UInt8 = 6,
        hardware: UInt32 = 1, master: Int32 = 0, lower: Int32 = 0, files: LinkDescription.DeviceFiles? = .init()
    ) -> LinkDescription {
        LinkDescription(
            index: index, name: name, flags: flags, operationalState: state, hardwareType: hardware, kind: kind,
            master: master, lower: lower, files: kind == nil ? files : nil)
    }

    private func path(
        chosen: [Int32] = [1], defaults: [(Int32, UInt32)] = [], _ links: LinkDescription...
    ) -> NetworkPath? {
        NetworkSnapshot(
            links: Dictionary(uniqueKeysWithValues: links.map { ($0.index, $0) }), chosen: chosen,
            defaultRoutes: defaults.map { .init(index: $0.0, priority: $0.1) }
        ).path
    }

    @Test("Without a route over a link that can carry traffic, there is no path")
    func none() {
        #expect(path(chosen: [], link(1, "eth0")) == nil)
        #expect(path(chosen: [9], link(1, "eth0")) == nil)
        #expect(path(link(1, "eth0", flags: 0x1003, state: 2)) == nil)
        #expect(path(link(1, "eth0", state: 2)) == nil)
        #expect(path(link(1, "eth0", state: 5)) == nil)
        #expect(path(link(1, "lo", flags: 0x49, state: 0)) == nil)
        #expect(path(link(1, "eth0", state: 0)) != nil)
    }

    @Test("The kind of a device depends on type, driver, and link layer")
    func kinds() {
        #expect(path(link(1, "enp1s0"))?.kind == .ethernet)
        #expect(path(link(1, "wlan0", files: .init(deviceType: "wlan")))?.kind == .wifi)
        #expect(path(link(1, "wlan0", files: .init(isWireless: true)))?.kind == .wifi)
        #expect(path(link(1, "wwan0", files: .init(deviceType: "wwan")))?.kind == .cellular)
        #expect(path(link(1, "wwan0", hardware: 519))?.kind == .cellular)
        #expect(path(link(1, "eth1", files: .init(driver: "cdc_mbim")))?.kind == .cellular)
        #expect(path(link(1, "bnep0", files: .init(deviceType: "bluetooth")))?.kind == .bluetooth)
        #expect(path(link(1, "usb0", files: .init(driver: "rndis_host")))?.kind == .usbTether)
        #expect(path(link(1, "eth1", files: .init(driver: "ipheth")))?.kind == .usbTether)
        #expect(path(link(1, "eth1", files: .init(driver: "cdc_ncm")))?.kind == .usbTether)
        #expect(path(link(1, "eth1", files: .init(driver: "cdc_ncm")))?.isKindGuessed == true)
        #expect(path(link(1, "ib0", hardware: 32))?.kind == .other)
        var wireless = link(1, "eth0", files: nil)
        wireless.isWireless = true
        #expect(path(wireless)?.kind == .wifi)
    }

    @Test("A PPP link has an unknown kind")
    func ppp() {
        #expect(path(link(1, "ppp0", hardware: 512))?.kind == .unknown)
        #expect(path(link(1, "ppp0", kind: "ppp", hardware: 512))?.kind == .unknown)
        #expect(path(link(1, "ppp0", hardware: 512))?.isKindGuessed == true)
    }

    @Test(
        "Every kind of virtual link has its role",
        arguments: [
            ("wireguard", LinkRole.tunnel), ("tun", .tunnel), ("ipip", .tunnel), ("gre", .tunnel), ("xfrm", .tunnel),
            ("vti", .tunnel), ("bridge", .members), ("bond", .members), ("team", .members), ("vlan", .lower),
            ("macvlan", .lower), ("vxlan", .tunnel), ("veth", .carrier(.ethernet, isGuess: false)),
            ("something-new", .carrier(.other, isGuess: false)), ("wwan", .carrier(.cellular, isGuess: false)),
            ("rmnet", .carrier(.cellular, isGuess: false)), ("virt_wifi", .carrier(.wifi, isGuess: false)),
            ("bt6lowpan", .carrier(.bluetooth, isGuess: false)), ("ppp", .carrier(.unknown, isGuess: true)),
        ])
    func virtualKinds(kind: String, role: LinkRole) {
        #expect(LinkRole(of: link(1, "x", kind: kind, lower: role == .lower ? 2 : 0)) == role)
    }

    @Test("Link layers of tunnels are recognized without a kind: none, IP in IP, GRE")
    func tunnelLayers() {
        for hardware: UInt32 in [0xFFFE, 768, 769, 776, 778] {
            #expect(LinkRole(of: link(1, "x", hardware: hardware)) == .tunnel)
        }
        #expect(LinkRole(of: link(1, "x", hardware: 767)) != .tunnel)
    }

    @Test("Without sysfs, an Ethernet-like device has an unknown kind, unlike a virtual link")
    func withoutSysfs() {
        #expect(path(link(1, "eth0", files: nil))?.kind == .unknown)
        #expect(path(link(1, "cable", kind: "veth", lower: 7))?.kind == .ethernet)
    }

    @Test("A bridge or bond has the kind of its most costly member with a carrier")
    func members() {
        #expect(path(link(1, "br0", kind: "bridge"), link(2, "eth0", master: 1))?.kind == .ethernet)
        let wifi = LinkDescription.DeviceFiles(isWireless: true)
        let bond = link(1, "bond0", kind: "bond")
        #expect(path(bond, link(2, "eth0", master: 1), link(3, "wlan0", master: 1, files: wifi))?.kind == .wifi)
        #expect(
            path(bond, link(2, "eth0", master: 1), link(3, "wlan0", state: 2, master: 1, files: wifi))?.kind
                == .ethernet)
        #expect(path(link(1, "br0", kind: "bridge"), link(2, "tap0", kind: "tun", master: 1))?.kind == .ethernet)
        // The first of equal members counts, members of other bridges do not, and without a carrier, all count.
        #expect(path(bond, link(2, "eth0", master: 1), link(3, "eth1", master: 1))?.below.map(\.name) == ["eth0"])
        #expect(path(bond, link(2, "eth0", master: 1), link(3, "wlan0", master: 5, files: wifi))?.kind == .ethernet)
        #expect(path(bond, link(3, "wlan0", state: 2, master: 1, files: wifi))?.kind == .wifi)
    }

    @Test("A VLAN has the kind of the link below, and a loop of links ends")
    func lower() {
        let wwan = link(2, "wwan0", files: .init(deviceType: "wwan"))
        #expect(path(link(1, "v7", kind: "vlan", lower: 2), wwan)?.kind == .cellular)
        #expect(path(link(1, "v7", kind: "vlan", lower: 9), wwan)?.kind == .unknown)
        #expect(
            path(link(1, "a", kind: "vlan", lower: 2), link(2, "b", kind: "vlan", lower: 1))?.kind == .unknown)
        #expect(
            path(link(1, "a", kind: "bridge", master: 2), link(2, "b", kind: "bridge", master: 1))?.kind == .unknown)
    }

    @Test("A tunnel has the kind of the main table's best default route outside the tunnel")
    func tunnel() {
        let vpn = link(1, "wg0", kind: "wireguard", state: 0, hardware: 0xFFFE)
        let (ethernet, wifi) = (link(2, "eth0"), link(3, "wlan0", files: .init(isWireless: true)))
        #expect(
            path(defaults: [(3, 600), (2, 100), (1, 50)], vpn, ethernet, wifi)
                == NetworkPath(
                    interface: "wg0", kind: .ethernet, isKindGuessed: true, index: 1, isTunnel: true,
                    below: [.init(name: "eth0", index: 2)]))
        let unplugged = link(2, "eth0", state: 2)
        #expect(path(defaults: [(3, 600), (2, 100)], vpn, unplugged, wifi)?.kind == .wifi)
        #expect(path(defaults: [(2, 100)], vpn, unplugged) == nil)
        #expect(path(vpn, ethernet)?.kind == .unknown)
        #expect(NetworkSnapshot(links: [1: vpn], chosen: [1]).choseTunnel)
        #expect(!NetworkSnapshot(links: [2: ethernet], chosen: [2]).choseTunnel)
    }

    @Test("The most costly of a tunnel's possible paths counts")
    func severalUnderlays() {
        let vpn = link(1, "wg0", kind: "wireguard", state: 0, hardware: 0xFFFE)
        let links: [Int32: LinkDescription] = [
            1: vpn, 2: link(2, "eth0"), 3: link(3, "wlan0", files: .init(isWireless: true)),
            4: link(4, "wwan0", files: .init(deviceType: "wwan")), 5: link(5, "tun0", kind: "tun"),
            6: link(6, "lo", flags: 0x49, state: 0),
        ]
        func underlay(_ routes: [NetworkSnapshot.DefaultRoute], marked: [Int32] = []) -> [String]? {
            NetworkSnapshot(links: links, chosen: [1], defaultRoutes: routes, chosenForMarks: marked).path?.below
                .map(\.name)
        }
        // Each family has its own path.
        #expect(underlay([.init(index: 2, priority: 9), .init(index: 3, priority: 600, family: 10)]) == ["wlan0"])
        // Rules send marked packets elsewhere. Packets that rules send to the tunnel or to this machine do not leave.
        #expect(underlay([.init(index: 2, priority: 9)], marked: [5, 6, 4]) == ["wwan0"])
        #expect(underlay([], marked: [5, 6, 3]) == ["wlan0"])
        #expect(underlay([], marked: [5, 6]) == [])
        // Other tables count if the main table has none, and the most costly of them wins.
        let others = [
            NetworkSnapshot.DefaultRoute(index: 2, priority: 0, table: 100), .init(index: 4, priority: 5, table: 200),
        ]
        #expect(underlay(others) == ["wwan0"])
        #expect(underlay(others + [.init(index: 3, priority: 900)]) == ["wlan0"])
    }

    @Test("A tunnel uses the link that it is bound to, except loopback and links elsewhere")
    func boundTunnel() {
        let wwan = link(2, "wwan0", files: .init(deviceType: "wwan"))
        let ethernet = link(3, "eth0")
        let bound = link(1, "gre1", kind: "gre", lower: 2)
        #expect(path(defaults: [(3, 1)], bound, wwan, ethernet)?.kind == .cellular)
        let toLoopback = link(1, "ipsec0", kind: "xfrm", lower: 4)
        #expect(
            path(defaults: [(3, 1)], toLoopback, ethernet, link(4, "lo", flags: 0x49, state: 0))?.kind == .ethernet)
        #expect(path(link(1, "eth0", kind: "macvlan", lower: 0), link(2, "eth1"))?.kind == .unknown)
        // Packets never leave over loopback or the tunnel itself.
        let loopback = link(9, "lo", flags: 0x49, hardware: 772)
        #expect(path(defaults: [(9, 1)], link(1, "wg0", kind: "wireguard"), loopback)?.below == [])
        #expect(path(defaults: [(3, 1)], link(1, "sit0", kind: "sit", lower: 1), ethernet)?.kind == .ethernet)
    }

    @Test("The devices of a path are listed from the interface to the carrier")
    func devices() {
        let stack = path(
            chosen: [1], defaults: [(2, 1)], link(1, "wg0", kind: "wireguard"), link(2, "br0", kind: "bridge"),
            link(3, "v7", kind: "vlan", master: 2, lower: 4), link(4, "bond0", kind: "bond"),
            link(5, "usb0", master: 4, files: .init(driver: "cdc_ncm")))
        #expect(stack?.devices.map(\.name) == ["wg0", "br0", "v7", "bond0", "usb0"])
        #expect(stack?.kind == .usbTether && stack?.isKindGuessed == true)
        #expect(path(link(1, "eth0"))?.below == [])
    }

    @Test("If IPv4 and IPv6 use different paths, the more costly path counts, otherwise the first")
    func families() {
        let wwan = link(2, "wwan0", files: .init(deviceType: "wwan"))
        #expect(path(chosen: [1, 2], link(1, "eth0"), wwan)?.interface == "wwan0")
        #expect(path(chosen: [1, 2], link(1, "eth0"), link(2, "eth1"))?.interface == "eth0")
    }

    @Test("A carrier change on the interface or below changes the path")
    func carrierChanges() {
        func bridge(_ own: UInt32?, _ below: UInt32) -> NetworkPath? {
            var (bridge, cable, other) = (link(1, "br0", kind: "bridge"), link(2, "eth0", master: 1), link(3, "eth1"))
            (bridge.carrierChanges, cable.carrierChanges, other.carrierChanges) = (own, below, 100)
            return path(bridge, cable, other)
        }
        #expect(bridge(1, 2) == bridge(1, 2))
        #expect(bridge(1, 2) != bridge(1, 4))
        #expect(bridge(1, 2) != bridge(3, 2))
        #expect(bridge(nil, 2)?.carrierChanges == 2)
        #expect(bridge(.max, .max)?.carrierChanges == 2 * UInt64(UInt32.max))
    }
}
