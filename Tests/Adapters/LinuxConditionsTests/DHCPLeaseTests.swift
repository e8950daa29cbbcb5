// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxConditions

@Suite("Leases of DHCP clients")
struct DHCPLeaseTests {
    private static let hexadecimal = "414e44524f49445f4d455445524544"

    @Test("systemd-networkd: the vendor's option in hexadecimal")
    func networkd() {
        let lease = "# This is private data. Do not parse.\nADDRESS=192.168.43.7\nLIFETIME=3600\n"
        #expect(DHCPLease.isMetered(networkd: lease + "VENDOR_SPECIFIC=\(Self.hexadecimal)\n"))
        #expect(DHCPLease.isMetered(networkd: lease + "VENDOR_SPECIFIC=0001\(Self.hexadecimal.uppercased())ff\n"))
        #expect(!DHCPLease.isMetered(networkd: lease))
        #expect(!DHCPLease.isMetered(networkd: lease + "VENDOR_SPECIFIC=4d53\nHOSTNAME=ANDROID_METERED\n"))
        #expect(!DHCPLease.isMetered(networkd: "VENDOR_SPECIFIC=41zz"))
        #expect(!DHCPLease.isMetered(networkd: ""))
    }

    private func lease(_ option: String, interface: String = "wlan0", expire: String = "never") -> String {
        """
        lease {
          interface "\(interface)";
          fixed-address 192.168.43.7;
          option vendor-encapsulated-options \(option);
          renew 6 2026/11/28 10:00:00;
          expire \(expire);
        }

        """
    }

    private let text = "\"ANDROID_METERED\""
    private var octets: String { Array("ANDROID_METERED".utf8).map { String($0, radix: 16) }.joined(separator: ":") }

    private func isMetered(_ file: String, interface: String = "wlan0", now: Int64 = 0) -> Bool {
        DHCPLease.isMetered(dhclient: file, interface: interface, now: now)
    }

    @Test("dhclient: the newest lease of the interface, as text or octets")
    func dhclient() {
        #expect(isMetered("default-duid \"x\";\n" + lease(text)))
        #expect(isMetered(lease(octets)))
        #expect(!isMetered(lease("1:4:41:42:43:44")))
        #expect(!isMetered(lease(text), interface: "eth0"))
        #expect(!isMetered(lease(text) + lease("1:2")))
        #expect(isMetered(lease("1:2") + lease(text) + lease("1:2", interface: "eth0")))
        #expect(!isMetered("lease {\n  interface \"wlan0\";\n  option host-name \"ANDROID_METERED\";\n}\n"))
        #expect(!isMetered(""))
        #expect(!isMetered("lease {\n  interface \"wlan0\";\n  option vendor-encapsulated-options \(text);"))
    }

    @Test("dhclient: an expired lease is ignored")
    func expiry() {
        // `date -u -d '2026-03-01 00:00:00' +%s`, and the last second of February in a leap year.
        #expect(isMetered(lease(text, expire: "0 2026/03/01 00:00:00"), now: 1_772_323_199))
        #expect(!isMetered(lease(text, expire: "0 2026/03/01 00:00:00"), now: 1_772_323_200))
        #expect(isMetered(lease(text, expire: "4 2024/02/29 23:59:59"), now: 1_709_251_198))
        #expect(!isMetered(lease(text, expire: "4 2024/02/29 23:59:59"), now: 1_709_251_199))
        #expect(isMetered(lease(text, expire: "epoch 100"), now: 99))
        #expect(!isMetered(lease(text, expire: "epoch 100"), now: 100))
        #expect(isMetered(lease(text), now: 1 << 40))
    }

    private func packet(_ options: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: 236) + [99, 130, 83, 99] + options
    }

    @Test("dhcpcd: the server's reply, including truncated and malformed replies")
    func dhcpcd() {
        let word = Array("ANDROID_METERED".utf8)
        let option = [43, UInt8(word.count)] + word
        let time: [UInt8] = [51, 4, 0, 0, 14, 16]
        #expect(DHCPLease.isMetered(dhcpcd: packet([53, 1, 5, 0, 0] + option + time + [255]), age: 10))
        #expect(DHCPLease.isMetered(dhcpcd: packet(option), age: 10))
        #expect(!DHCPLease.isMetered(dhcpcd: packet(option + time + [255]), age: 3600))
        #expect(!DHCPLease.isMetered(dhcpcd: packet([12, UInt8(word.count)] + word + [255]), age: 0))
        #expect(!DHCPLease.isMetered(dhcpcd: packet([255] + option), age: 0))
        #expect(!DHCPLease.isMetered(dhcpcd: packet([43, 200] + word), age: 0))
        #expect(!DHCPLease.isMetered(dhcpcd: packet([43]), age: 0))
        #expect(!DHCPLease.isMetered(dhcpcd: [UInt8](repeating: 0, count: 300) + option, age: 0))
        #expect(!DHCPLease.isMetered(dhcpcd: [], age: 0))
    }

    @Test("Lease files are found below the root, by index or name, for each interface on the path")
    func folders() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("leases-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let folders = LeaseFolders(root: root)
        let wireless = NetworkPath.Device(name: "wlan0", index: 3)
        func says(_ devices: NetworkPath.Device...) -> Bool {
            folders.files(of: devices).contains { $0.isMetered(now: 0) }
        }
        func put(_ data: Data, _ path: String) throws {
            let folder = URL(fileURLWithPath: root + path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try data.write(to: URL(fileURLWithPath: root + path))
        }
        #expect(!says(wireless))
        try put(Data("VENDOR_SPECIFIC=\(Self.hexadecimal)\n".utf8), "/run/systemd/netif/leases/3")
        #expect(says(wireless))
        #expect(says(.init(name: "wg0", index: 9), wireless))
        #expect(!says(.init(name: "eth0", index: 4)))
        try FileManager.default.removeItem(atPath: root + "/run")
        // Longer than the part that is read: the end counts.
        let long = String(repeating: lease("1:2"), count: 3000) + lease(text)
        try put(Data(long.utf8), "/var/lib/dhcp/dhclient.wlan0.leases")
        #expect(says(wireless))
        try put(Data(lease(text).utf8), "/var/lib/dhcp/dhclient.wlan0.conf")
        try put(Data(lease("1:2").utf8), "/var/lib/dhcp/dhclient.wlan0.leases")
        #expect(!says(wireless))
        let option = [43, UInt8(15)] + Array("ANDROID_METERED".utf8) + [255]
        try put(Data(packet(option)), "/var/lib/dhcpcd/wlan0.lease")
        #expect(says(wireless))
    }
}
