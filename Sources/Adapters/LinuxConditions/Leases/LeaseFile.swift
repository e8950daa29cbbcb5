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

/// The content is encoded as text if the bytes are UTF-8, except for dhcpcd, and otherwise as hexadecimal digits.
extension LeaseFile: Codable {
    private enum CodingKeys: String, CodingKey {
        case client
        case device
        case text
        case hexadecimal
        case written
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        client = try container.decode(Client.self, forKey: .client)
        device = try container.decode(String.self, forKey: .device)
        written = try container.decodeIfPresent(Int64.self, forKey: .written)
        let text = try container.decodeIfPresent(String.self, forKey: .text)
        let digits = try container.decodeIfPresent(String.self, forKey: .hexadecimal) ?? ""
        bytes = text.map { Array($0.utf8) } ?? DHCPLease.octets(digits[...], separator: nil)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(client, forKey: .client)
        try container.encode(device, forKey: .device)
        try container.encodeIfPresent(written, forKey: .written)
        if client != .dhcpcd, let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text, forKey: .text)
        } else {
            let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try container.encode(digits, forKey: .hexadecimal)
        }
    }
}
