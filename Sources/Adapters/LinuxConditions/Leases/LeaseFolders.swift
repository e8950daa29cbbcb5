// SPDX-License-Identifier: Apache-2.0

/// Finds the leases that DHCP clients have left.
///
/// Those that may not be read, or are not there, say nothing; NetworkManager reads its own and tells.
struct LeaseFolders: Sendable {
    private let root: String

    /// The folders below `root`, which is empty for the machine's own.
    init(root: String) { self.root = root }

    /// The leases of these devices.
    func files(of devices: [NetworkPath.Device]) -> [LeaseFile] {
        devices.flatMap { networkd($0) + dhclient($0) + dhcpcd($0) }
    }

    private func networkd(_ device: NetworkPath.Device) -> [LeaseFile] {
        SmallFile.text("\(root)/run/systemd/netif/leases/\(device.index)").map {
            [LeaseFile(client: .networkd, device: device.name, bytes: Array($0.utf8))]
        } ?? []
    }

    private func dhclient(_ device: NetworkPath.Device) -> [LeaseFile] {
        ["/var/lib/dhcp", "/var/lib/dhclient"].flatMap { folder in
            (SmallFile.names(in: root + folder) ?? []).compactMap { name in
                guard name.hasSuffix(".leases") || name.hasSuffix(".lease") else { return nil }
                return SmallFile.end(of: "\(root)\(folder)/\(name)", length: 1 << 18).map {
                    LeaseFile(client: .dhclient, device: device.name, bytes: $0)
                }
            }
        }
    }

    /// One file a network: named after the interface, and after the network as well where it is wireless.
    private func dhcpcd(_ device: NetworkPath.Device) -> [LeaseFile] {
        let folders = [("/var/lib/dhcpcd", ""), ("/var/db/dhcpcd", ""), ("/var/lib/dhcpcd5", "dhcpcd-")]
        return folders.compactMap { folder, prefix in
            // Which wireless network it is now is not known here: without its name only a cable's file is certain.
            let path = "\(root)\(folder)/\(prefix)\(device.name).lease"
            guard let written = SmallFile.modificationTime(of: path), let bytes = SmallFile.end(of: path, length: 4096)
            else { return nil }
            return LeaseFile(client: .dhcpcd, device: device.name, bytes: bytes, written: written)
        }
    }
}
