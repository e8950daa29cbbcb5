// SPDX-License-Identifier: Apache-2.0
import Testing
import TransferModel
import TransferPolicy

@testable import LinuxConditions

@Suite("Carriers below stacks of links")
struct LinkStackTests {
    private func link(
        _ index: Int32, _ name: String, kind: String? = nil, isUp: Bool = true, hardware: UInt32 = 1, master: Int32 = 0,
        lower: Int32 = 0, files: LinkDescription.DeviceFiles = .init(), flags: UInt32 = 0x1043
    ) -> LinkDescription {
        LinkDescription(
            index: index, name: name, flags: flags, operationalState: isUp ? 6 : 2, hardwareType: hardware, kind: kind,
            master: master, lower: lower, files: kind == nil ? files : nil)
    }

    private func path(defaults: [Int32] = [], _ links: LinkDescription...) -> NetworkPath? {
        NetworkSnapshot(
            links: Dictionary(uniqueKeysWithValues: links.map { ($0.index, $0) }), chosen: [1],
            defaultRoutes: defaults.map { .init(index: $0, priority: 1) }
        ).path
    }

    private let loopback = LinkDescription(index: 9, name: "lo", flags: 0x49, hardwareType: 772, files: .init())

    @Test("A tunnel's packets never leave over loopback or the tunnel itself")
    func loopbackBelow() {
        #expect(path(defaults: [9], link(1, "wg0", kind: "wireguard"), loopback)?.below == [])
        let cable = link(2, "eth0")
        #expect(path(defaults: [2], link(1, "ipsec0", kind: "xfrm", lower: 9), cable, loopback)?.kind == .ethernet)
        #expect(path(defaults: [2], link(1, "sit0", kind: "sit", lower: 1), cable)?.kind == .ethernet)
    }

    @Test("The first of equal members counts; members of other bridges do not; without a carrier, all count")
    func members() {
        let bond = link(1, "bond0", kind: "bond")
        let two = path(bond, link(2, "eth0", master: 1), link(3, "eth1", master: 1))
        #expect(two?.below.map(\.name) == ["eth0"])
        let wireless = LinkDescription.DeviceFiles(isWireless: true)
        #expect(path(bond, link(2, "eth0", master: 1), link(3, "wlan0", master: 5, files: wireless))?.kind == .ethernet)
        #expect(path(bond, link(3, "wlan0", isUp: false, master: 1, files: wireless))?.kind == .wifi)
    }

    @Test("A stack is followed to its carrier, and a guess there makes the result a guess")
    func highStack() {
        let stack = path(
            link(1, "v1", kind: "vlan", lower: 2), link(2, "br0", kind: "bridge"),
            link(3, "v2", kind: "macvlan", master: 2, lower: 4), link(4, "bond0", kind: "bond"),
            link(5, "usb0", master: 4, files: .init(driver: "cdc_ncm")))
        #expect(stack?.devices.map(\.name) == ["v1", "br0", "v2", "bond0", "usb0"])
        #expect(stack?.kind == .usbTether)
        #expect(stack?.isKindGuessed == true)
    }

    @Test(
        "Virtual links that carry traffic have the kind that they represent",
        arguments: [
            ("wwan", LinkKind.cellular, false), ("rmnet", .cellular, false), ("virt_wifi", .wifi, false),
            ("bt6lowpan", .bluetooth, false), ("ppp", .unknown, true),
        ])
    func kinds(kind: String, carries: LinkKind, isGuess: Bool) {
        let path = path(link(1, "x", kind: kind))
        #expect(path?.kind == carries)
        #expect(path?.isKindGuessed == isGuess)
    }
}
