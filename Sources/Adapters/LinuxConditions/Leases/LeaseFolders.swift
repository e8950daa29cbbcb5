// SPDX-License-Identifier: Apache-2.0

/// Finds the leases that DHCP clients have left.
///
/// Those that may not be read, or are not there, say nothing; NetworkManager reads its own and tells.
struct LeaseFolders: Sendable {
    private let root: String

    /// The folders below `root`, which is empty for the machine's own.
    init(root: String) { self.root = root }

    /// Whether the lease of one of these devices says that the network is metered.
    ///
    /// - Parameter now: seconds since 1970.
    func sayMetered(of devices: [NetworkPath.Device], now: Int64) -> Bool {
        devices.contains { device in
            networkd(device) || dhclient(device, now) || dhcpcd(device, now)
        }
    }

    private func networkd(_ device: NetworkPath.Device) -> Bool {
        SmallFile.text("\(root)/run/systemd/netif/leases/\(device.index)").map(DHCPLease.isMetered(networkd:)) ?? false
    }

    private func dhclient(_ device: NetworkPath.Device, _ now: Int64) -> Bool {
        ["/var/lib/dhcp", "/var/lib/dhclient"].contains { folder in
            (SmallFile.names(in: root + folder) ?? []).contains { name in
                guard name.hasSuffix(".leases") || name.hasSuffix(".lease"),
                    let bytes = SmallFile.end(of: "\(root)\(folder)/\(name)", length: 1 << 18)
                else { return false }
                let text = String(decoding: bytes, as: UTF8.self)
                return DHCPLease.isMetered(dhclient: text, interface: device.name, now: now)
            }
        }
    }

    /// One file a network: named after the interface, and after the network as well where it is wireless.
    private func dhcpcd(_ device: NetworkPath.Device, _ now: Int64) -> Bool {
        let folders = [("/var/lib/dhcpcd", ""), ("/var/db/dhcpcd", ""), ("/var/lib/dhcpcd5", "dhcpcd-")]
        return folders.contains { folder, prefix in
            // Which wireless network it is now is not known here: without its name only a cable's file is certain.
            let path = "\(root)\(folder)/\(prefix)\(device.name).lease"
            guard let written = SmallFile.modificationTime(of: path), let bytes = SmallFile.end(of: path, length: 4096)
            else { return false }
            return DHCPLease.isMetered(dhcpcd: bytes, age: now - written)
        }
    }
}
