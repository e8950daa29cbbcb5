// SPDX-License-Identifier: Apache-2.0

/// A lease file that a DHCP client wrote, for one device.
struct LeaseFile: Hashable, Sendable {
    /// The DHCP client that wrote the file.
    enum Client: String, Hashable, Sendable, Codable, CaseIterable {
        /// systemd-networkd.
        case networkd
        /// ISC dhclient.
        case dhclient
        /// dhcpcd.
        case dhcpcd
    }

    var client: Client
    /// The name of the device.
    var device: String
    /// The contents of the file; only the end of a long file.
    var bytes: [UInt8]
    /// The time of the last modification, in seconds since 1970; `nil` if it does not matter.
    var written: Int64?

    /// Returns whether the lease says that the network is metered.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    func isMetered(now: Int64) -> Bool {
        switch client {
        case .networkd: DHCPLease.isMetered(networkd: String(decoding: bytes, as: UTF8.self))
        case .dhclient:
            DHCPLease.isMetered(dhclient: String(decoding: bytes, as: UTF8.self), interface: device, now: now)
        case .dhcpcd: DHCPLease.isMetered(dhcpcd: bytes, age: now - (written ?? now))
        }
    }
}
