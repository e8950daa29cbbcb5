// SPDX-License-Identifier: Apache-2.0

/// A file that a DHCP client has left, for one device.
struct LeaseFile: Hashable, Sendable {
    /// Who wrote it.
    enum Client: String, Hashable, Sendable, Codable, CaseIterable {
        /// systemd-networkd.
        case networkd
        /// ISC dhclient.
        case dhclient
        /// dhcpcd.
        case dhcpcd
    }

    var client: Client
    /// The device's name.
    var device: String
    /// What is in it; of a long one the end.
    var bytes: [UInt8]
    /// When it was written, in seconds since 1970; nil where that does not matter.
    var written: Int64?

    /// Whether it says that the network is metered.
    ///
    /// - Parameter now: seconds since 1970.
    func saysMetered(now: Int64) -> Bool {
        switch client {
        case .networkd: DHCPLease.isMetered(networkd: String(decoding: bytes, as: UTF8.self))
        case .dhclient:
            DHCPLease.isMetered(dhclient: String(decoding: bytes, as: UTF8.self), interface: device, now: now)
        case .dhcpcd: DHCPLease.isMetered(dhcpcd: bytes, age: now - (written ?? now))
        }
    }
}
