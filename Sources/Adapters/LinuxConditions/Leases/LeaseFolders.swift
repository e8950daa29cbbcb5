// SPDX-License-Identifier: Apache-2.0

/// The folders in which DHCP clients store their lease files.
///
/// Unreadable and missing files are skipped. NetworkManager reads its own leases and reports the result itself.
struct LeaseFolders: Sendable {
    private let root: String

    /// Creates a set of folders under `root`; an empty root stands for the real file system.
    init(root: String) { self.root = root }

    /// Returns the lease files of the devices.
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

    /// Returns the leases of dhcpcd, which stores one file per network. The file is named after the interface, and for
    /// a wireless network also after the network.
    private func dhcpcd(_ device: NetworkPath.Device) -> [LeaseFile] {
        let folders = [("/var/lib/dhcpcd", ""), ("/var/db/dhcpcd", ""), ("/var/lib/dhcpcd5", "dhcpcd-")]
        return folders.compactMap { folder, prefix in
            // The name of the current wireless network is not known here, so only the file of a wired network is
            // certain.
            let path = "\(root)\(folder)/\(prefix)\(device.name).lease"
            guard let written = SmallFile.modificationTime(of: path), let bytes = SmallFile.end(of: path, length: 4096)
            else { return nil }
            return LeaseFile(client: .dhcpcd, device: device.name, bytes: bytes, written: written)
        }
    }
}
