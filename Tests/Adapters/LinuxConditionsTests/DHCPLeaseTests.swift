// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import LinuxConditions

@Suite("Leases of systemd-networkd")
struct DHCPLeaseTests {
    private static let hexadecimal = "414e44524f49445f4d455445524544"

    @Test("The vendor's option in hexadecimal says whether the network is metered")
    func vendorOption() {
        func isMetered(_ lines: String) -> Bool {
            let lease = "# This is private data. Do not parse.\nADDRESS=192.168.43.7\nLIFETIME=3600\n"
            return LeaseFile(device: "a", text: lease + lines).isMetered
        }
        #expect(isMetered("VENDOR_SPECIFIC=\(Self.hexadecimal)\n"))
        #expect(isMetered("VENDOR_SPECIFIC=0001\(Self.hexadecimal.uppercased())ff\n"))
        #expect(!isMetered(""))
        #expect(!isMetered("VENDOR_SPECIFIC=4d53\nHOSTNAME=ANDROID_METERED\n"))
        #expect(!isMetered("VENDOR_SPECIFIC=41zz"))
        #expect(!isMetered("VENDOR_SPECIFIC="))
        #expect(!LeaseFile(client: "dhclient", device: "a", text: "VENDOR_SPECIFIC=\(Self.hexadecimal)").isMetered)
    }

    @Test("Lease files are found below the root, by index, for each interface on the path")
    func folders() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("leases-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let wireless = NetworkPath.Device(name: "wlan0", index: 3)
        func says(_ devices: NetworkPath.Device...) -> Bool {
            LeaseFile.files(of: devices, root: root).contains(where: \.isMetered)
        }
        #expect(!says(wireless))
        let folder = root + "/run/systemd/netif/leases"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("VENDOR_SPECIFIC=\(Self.hexadecimal)\n".utf8).write(to: URL(fileURLWithPath: folder + "/3"))
        #expect(says(wireless))
        #expect(says(.init(name: "wg0", index: 9), wireless))
        #expect(!says(.init(name: "eth0", index: 4)))
    }
}
