// SPDX-License-Identifier: Apache-2.0

/// A network interface as the kernel describes it.
struct LinkDescription: Hashable, Sendable, Codable {
    /// The additional properties of a device that sysfs shows.
    struct DeviceFiles: Hashable, Sendable, Codable {
        /// The device type from the uevent file, such as wlan, wwan, or bluetooth.
        var deviceType: String?
        /// Whether sysfs has a `wireless` or `phy80211` entry for the device.
        var isWireless = false
        /// The name of the kernel driver.
        var driver: String?
    }

    var index: Int32
    var name: String
    /// The state flags (`IFF_…`).
    var flags: UInt32 = 0
    /// The operational state of RFC 2863: 0 is unknown, 6 is up.
    var operationalState: UInt8 = 0
    /// The type of the link layer (`ARPHRD_…`).
    var hardwareType: UInt32 = 1
    /// The kind of virtual link, such as `bridge`; `nil` for a device.
    var kind: String?
    /// The index of the bridge or bond that this interface belongs to; 0 for none.
    var master: Int32 = 0
    /// The index of the link below this interface; 0 for none. Also 0 for a link in another network namespace, whose
    /// indices have no meaning here.
    ///
    /// For a veth, the index of its peer.
    var lower: Int32 = 0
    /// The number of times that the carrier was gained or lost; `nil` if the kernel does not count carrier changes.
    var carrierChanges: UInt32?
    /// Whether nl80211 reports a wireless interface; false also if nl80211 could not be queried.
    var isWireless = false
    /// The device's files; `nil` if sysfs does not show this interface.
    var files: DeviceFiles?

    /// Whether the interface leads back to this machine.
    var isLoopback: Bool { flags & 0x8 != 0 }

    /// Whether the interface is up and has a carrier.
    ///
    /// Routes alone do not tell, because a default route stays when the cable is unplugged.
    var canCarry: Bool {
        let (up, running): (UInt32, UInt32) = (0x1, 0x40)
        return flags & up != 0 && flags & running != 0 && !isLoopback
            && (operationalState == 0 || operationalState == 6)
    }
}
