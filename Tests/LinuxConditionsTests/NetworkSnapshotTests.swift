// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferPolicy

@testable import LinuxConditions

@Suite("The way out, read off links and routes")
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

    @Test("No route is no path, and neither is a route over a link that cannot carry")
    func none() {
        #expect(path(chosen: [], link(1, "eth0")) == nil)
        #expect(path(chosen: [9], link(1, "eth0")) == nil)
        #expect(path(link(1, "eth0", flags: 0x1003, state: 2)) == nil)
        #expect(path(link(1, "eth0", state: 2)) == nil)
        #expect(path(link(1, "eth0", state: 5)) == nil)
        #expect(path(link(1, "lo", flags: 0x49, state: 0)) == nil)
        #expect(path(link(1, "eth0", state: 0)) != nil)
    }

    @Test("Devices are told apart by type, driver and link layer")
    func devices() {
        #expect(path(link(1, "enp1s0"))?.kind == .ethernet)
        #expect(path(link(1, "wlan0", files: .init(deviceType: "wlan")))?.kind == .wifi)
        #expect(path(link(1, "wlan0", files: .init(isWireless: true)))?.kind == .wifi)
        #expect(path(link(1, "wwan0", files: .init(deviceType: "wwan")))?.kind == .cellular)
        #expect(path(link(1, "wwan0", hardware: 519))?.kind == .cellular)
        #expect(path(link(1, "eth1", files: .init(driver: "cdc_mbim")))?.kind == .cellular)
        #expect(path(link(1, "bnep0", files: .init(deviceType: "bluetooth")))?.kind == .bluetooth)
        #expect(path(link(1, "usb0", files: .init(driver: "rndis_host")))?.kind == .usbTether)
        #expect(path(link(1, "eth1", files: .init(driver: "ipheth")))?.kind == .usbTether)
        #expect(path(link(1, "ppp0", hardware: 512))?.kind == .other)
        let dock = path(link(1, "eth1", files: .init(driver: "cdc_ncm")))
        #expect(dock == NetworkPath(interface: "eth1", kind: .usbTether, isKindGuessed: true))
    }

    @Test("Without sysfs an Ethernet-like device is of unknown kind, a virtual link is not")
    func withoutSysfs() {
        #expect(path(link(1, "eth0", files: nil))?.kind == .unknown)
        #expect(path(link(1, "cable", kind: "veth", lower: 7))?.kind == .ethernet)
    }

    @Test("A bridge or bond is what its members are, the dearest of those that carry")
    func members() {
        #expect(path(link(1, "br0", kind: "bridge"), link(2, "eth0", master: 1))?.kind == .ethernet)
        let wifi = LinkDescription.DeviceFiles(isWireless: true)
        let bond = link(1, "bond0", kind: "bond")
        #expect(path(bond, link(2, "eth0", master: 1), link(3, "wlan0", master: 1, files: wifi))?.kind == .wifi)
        #expect(
            path(bond, link(2, "eth0", master: 1), link(3, "wlan0", state: 2, master: 1, files: wifi))?.kind
                == .ethernet)
        #expect(path(link(1, "br0", kind: "bridge"), link(2, "tap0", kind: "tun", master: 1))?.kind == .ethernet)
    }

    @Test("A VLAN is what lies below it; a loop of links ends")
    func lower() {
        let wwan = link(2, "wwan0", files: .init(deviceType: "wwan"))
        #expect(path(link(1, "v7", kind: "vlan", lower: 2), wwan)?.kind == .cellular)
        #expect(path(link(1, "v7", kind: "vlan", lower: 9), wwan)?.kind == .unknown)
        #expect(
            path(link(1, "a", kind: "vlan", lower: 2), link(2, "b", kind: "vlan", lower: 1))?.kind == .unknown)
        #expect(
            path(link(1, "a", kind: "bridge", master: 2), link(2, "b", kind: "bridge", master: 1))?.kind == .unknown)
    }

    @Test("A tunnel is what the main table's best other default route goes over")
    func tunnel() {
        let vpn = link(1, "wg0", kind: "wireguard", state: 0, hardware: 0xFFFE)
        let (ethernet, wifi) = (link(2, "eth0"), link(3, "wlan0", files: .init(isWireless: true)))
        #expect(
            path(defaults: [(3, 600), (2, 100), (1, 50)], vpn, ethernet, wifi)
                == NetworkPath(interface: "wg0", kind: .ethernet, isKindGuessed: true))
        let unplugged = link(2, "eth0", state: 2)
        #expect(path(defaults: [(3, 600), (2, 100)], vpn, unplugged, wifi)?.kind == .wifi)
        #expect(path(defaults: [(2, 100)], vpn, unplugged) == nil)
        #expect(path(vpn, ethernet)?.kind == .unknown)
        #expect(NetworkSnapshot(links: [1: vpn], chosen: [1]).choseTunnel)
        #expect(!NetworkSnapshot(links: [2: ethernet], chosen: [2]).choseTunnel)
    }

    @Test("Where IPv4 and IPv6 go different ways the dearer counts, else the first")
    func families() {
        let wwan = link(2, "wwan0", files: .init(deviceType: "wwan"))
        #expect(path(chosen: [1, 2], link(1, "eth0"), wwan)?.interface == "wwan0")
        #expect(path(chosen: [1, 2], link(1, "eth0"), link(2, "eth1"))?.interface == "eth0")
    }

    @Test("What is lost, or begins to cost, is urgent; what is gained is not")
    func urgency() {
        let (ethernet, wwan) = (
            NetworkPath(interface: "eth0", kind: .ethernet), NetworkPath(interface: "wwan0", kind: .cellular)
        )
        #expect(NetworkPath.isUrgent(from: ethernet, to: nil))
        #expect(NetworkPath.isUrgent(from: ethernet, to: wwan))
        #expect(!NetworkPath.isUrgent(from: wwan, to: ethernet))
        #expect(!NetworkPath.isUrgent(from: nil, to: ethernet))
        #expect(!NetworkPath.isUrgent(from: nil, to: wwan))
    }
}
