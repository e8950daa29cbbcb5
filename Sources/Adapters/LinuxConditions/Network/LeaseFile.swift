// SPDX-License-Identifier: Apache-2.0

/// A lease of systemd-networkd, for machines without NetworkManager, which reads its own leases and reports the result.
struct LeaseFile: Hashable, Sendable, Codable {
    private static let ownClient = "networkd"
    private static let key = "VENDOR_SPECIFIC="

    /// The DHCP client. Recordings of earlier releases also have leases of other clients, which no longer count.
    var client = ownClient
    /// The name of the interface.
    var device: String
    /// The content of the file.
    var text: String?

    /// Reads the leases of the devices, below a folder that stands for the root of the file system.
    static func files(of devices: [NetworkPath.Device], root: String) -> [LeaseFile] {
        devices.compactMap { device in
            SmallFile.text("\(root)/run/systemd/netif/leases/\(device.index)").map {
                LeaseFile(device: device.name, text: $0)
            }
        }
    }

    /// The line with the vendor-specific option, number 43, in hexadecimal digits.
    var vendorLine: Substring? {
        (text ?? "").split(whereSeparator: \.isNewline).first { $0.hasPrefix(Self.key) }
    }

    /// Whether the lease says that the network is metered: a phone that shares its connection sends `ANDROID_METERED`
    /// in option 43.
    var isMetered: Bool {
        guard client == Self.ownClient, let digits = vendorLine?.dropFirst(Self.key.count) else { return false }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16) ?? 0
        }
        return String(decoding: bytes, as: UTF8.self).contains("ANDROID_METERED")
    }
}
